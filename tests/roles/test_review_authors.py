"""Whose verdicts and openings they are, in the review unit's machine and service."""

from __future__ import annotations

import pytest
from test_review_service import ANN, BOB, TASK, unit

from unveil.protocol import frames
from unveil.roles.review_unit.decisions import KINDS, Decided, DecidedByNobody, Opened, OpenedByNobody, reviewer_name
from unveil.roles.review_unit.machine import GivenVerdict
from unveil.roles.review_unit.masking import Stage
from unveil.runtime.reviews import NoSuchTask, ReviewUnitService

__all__ = ["unit"]  # the fixture

G, P = b"\x01", bytes(6) + b"\xf0\x3f"  # match, 1.0


def logged(service: ReviewUnitService) -> list[object]:
    """The decisions in the unit's log."""
    entries = service.workers["p"].host.log.entries()
    return [frames.read(entry.body or b"", KINDS) for entry in entries if entry.kind == "decision"]


def test_openings_and_verdicts_are_logged_with_whoever_called(unit: ReviewUnitService) -> None:
    """By the id of the token, which the gate has checked; no body of a request can say another."""
    unit.open_cell("p", BOB, TASK.hex(), "last_name", "differing")
    unit.open_cell("p", ANN, TASK.hex(), "last_name", "full")
    unit.verdict("p", ANN, TASK.hex(), True, 1.0)
    *opened, decided = logged(unit)
    assert isinstance(decided, Decided)
    assert ANN.name.encode() == decided.reviewer
    assert [BOB.name, ANN.name] == [one.reviewer.decode() for one in opened if isinstance(one, Opened)]


def test_only_the_same_reviewer_may_repeat_a_verdict(unit: ReviewUnitService) -> None:
    """After a lost answer. From somebody else the same words are another verdict, and the task is decided."""
    unit.verdict("p", ANN, TASK.hex(), True, 1.0)
    unit.verdict("p", ANN, TASK.hex(), True, 1.0)
    for who, match in ((BOB, True), (ANN, False)):
        with pytest.raises(NoSuchTask):
            unit.verdict("p", who, TASK.hex(), match, 1.0)
    assert 1 == len(logged(unit))


def test_a_log_of_an_earlier_release_folds_without_authors(unit: ReviewUnitService) -> None:
    """Its entries named nobody, and nobody is put in."""
    log = unit.workers["p"].host.log
    columns = b'"columns":[["task_id",16]]}', b'"columns":[["task_ids",16],["g",1],["p",8]]}'
    headers = (
        b'{"kind":"Opened","fields":{"attribute":2,"stage":2},' + columns[0],
        b'{"kind":"Decided","fields":{},' + columns[1],
    )
    old = [
        b"UNV" + bytes([frames.VERSION]) + len(header).to_bytes(4, "little") + header + rest
        for header, rest in zip(headers, (TASK, TASK + G + P), strict=True)
    ]
    assert [
        frames.write(OpenedByNobody(TASK, 2, int(Stage.FULL))),
        frames.write(DecidedByNobody(TASK, G, P)),
    ] == old
    unit.workers["p"].host._machine = None
    for body in old:
        log.append(kind="decision", body=body, time=1.0)
    assert GivenVerdict(match=True, p=1.0, reviewer=b"") == unit.workers["p"].host.look(lambda one: one.decided(TASK))
    with pytest.raises(NoSuchTask):
        unit.verdict("p", ANN, TASK.hex(), True, 1.0)


@pytest.mark.parametrize("name", [b"", b"x" * 65, b"an\x1b[2Jn", "müller".encode(), b"a\nb"])
def test_a_reviewer_without_a_plain_id_cannot_be_logged(name: bytes) -> None:
    """Nobody's verdict is written down by nobody; an id is shown on terminals."""
    for decision in (lambda: Decided(TASK, G, P, name), lambda: Opened(TASK, 0, 1, name), lambda: reviewer_name(name)):
        with pytest.raises(ValueError, match="not a reviewer's id"):
            decision()
