"""What operators see of a unit: its gauges, the pace of reviewers, and lines in its log."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from small_unit import PROJECT, A, B, agree, host, people, project, upload
from unveil.protocol import frames
from unveil.protocol.codec import encode
from unveil.protocol.machine import Decision
from unveil.protocol.messages import OwnersAnswers
from unveil.protocol.roles import ATTRIBUTE_UNIT, Role
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.roles.review_unit.decisions import Decided, Drafted, GoldPlaced, HandedOut
from unveil.runtime.gauges import ANSWERED, GAUGES
from unveil.runtime.linkage_figures import LinkageFigures
from unveil.runtime.operations import Surroundings, UsedCertificate, unit_facts
from unveil.runtime.review_pace import DAY, HOUR, PaceReader, ReviewPace
from unveil.runtime.stage_lines import StageLines
from unveil.runtime.units import RecordUnitService
from unveil.runtime.worker import Worker
from unveil.storage.database import Database
from unveil.transport.gauges import Gauge, GaugeReading
from unveil.transport.logs import logger
from unveil.transport.port import OPERATOR, Caller


@contextmanager
def compared(folder: Path) -> Iterator[tuple[RecordUnitService, Database]]:
    """A record unit that has compared two uploads with 20 people in common."""
    with Database.open(folder / "log.sqlite", role="record unit") as database:
        at = host(database, folder, project())
        agree(at)
        same = people(1, 20)
        upload(at, A, np.concatenate([same, people(2, 5)]))
        upload(at, B, np.concatenate([same, people(3, 9)]))
        at.advance()
        around = Surroundings((UsedCertificate("", folder / "none.pem"),), folder)
        worker = Worker(project(), at, logger(io.StringIO()))
        yield RecordUnitService(Role.RECORD_UNIT, {PROJECT: worker}, database, around), database


def operator(database: Database, name: str) -> Caller:
    """The operator of a project, by the token's public half."""
    now = time.time()
    return Caller(OPERATOR, database.tokens.issue(name, OPERATOR, now + 600, now - 1).split(".")[1])


def test_the_gauges_show_what_the_unit_holds(tmp_path: Path) -> None:
    with compared(tmp_path) as (unit, database):
        readings = list(unit.metrics(operator(database, PROJECT)))
        shown = {(each.gauge.name, *each.labels): each.value for each in readings}
    assert {each.gauge for each in readings} <= set(GAUGES)
    assert 20 == shown["unveil_links", PROJECT] == shown["unveil_kept_pairs", PROJECT]
    assert 4 == shown["unveil_messages_received", PROJECT]
    assert 1 == shown["unveil_messages_waiting", PROJECT, "owner a"]
    assert [1] == [
        value for (name, *labels), value in shown.items() if name == "unveil_stage" and labels[1] == "learning"
    ]
    assert 1 == sum(value for (name, *_), value in shown.items() if name == "unveil_stage")
    assert 1 == shown["unveil_waits_for", PROJECT, "attribute unit"]
    assert 0.9 < shown["unveil_estimated_quality_ratio", PROJECT, "f1", "point"] <= 1
    assert shown["unveil_database_bytes", "sqlite"] >= (tmp_path / "log.sqlite").stat().st_size


def test_gauges_of_a_project_are_for_its_own_operator(tmp_path: Path) -> None:
    """A unit serves projects that know nothing of each other, not even that there are others."""
    with compared(tmp_path) as (unit, database):
        for caller in (operator(database, "another"), Caller(OPERATOR, "no such token")):
            readings = list(unit.metrics(caller))
            assert readings
            assert [] == [each for each in readings if PROJECT in each.labels]


def test_a_certificate_that_cannot_be_read_is_said_to_be_unknown(tmp_path: Path) -> None:
    """Its file may have been replaced badly while the unit runs; the page is needed then most of all."""
    with compared(tmp_path) as (unit, _):
        assert [None] == [each.ends for each in unit_facts(unit, ()).certificates]


def test_bins_of_the_similarity_hold_every_pair_once(tmp_path: Path) -> None:
    with compared(tmp_path) as (unit, _):
        figures = unit.figures(PROJECT)
        assert isinstance(figures, LinkageFigures)
        assert figures is unit.figures(PROJECT), "counted once for every entry of the log"
        assert 20 == sum(each.linked + each.others for each in figures.bins)
        assert figures.links == sum(each.linked for each in figures.bins)
        assert 1.0 == figures.bins[-1].high


def test_the_share_that_each_owner_answered_is_shown_once_it_is_known(tmp_path: Path) -> None:
    """As the attribute unit tells it after a batch; before that there is no share of anything."""
    with compared(tmp_path) as (unit, database):
        caller = operator(database, PROJECT)

        def shown() -> dict[tuple[str, ...], float]:
            return {each.labels: each.value for each in unit.metrics(caller) if each.gauge is ANSWERED}

        assert {} == shown()
        counts = np.array([4, 1], "<u4").tobytes()
        unit.workers[PROJECT].host.take(ATTRIBUTE_UNIT, "answers", encode(OwnersAnswers(0, 4, counts)))
        assert {(PROJECT, "owner a"): 1.0, (PROJECT, "owner b"): 0.25} == shown()


def test_a_gauge_without_the_unit_of_what_it_measures_is_refused() -> None:
    """Sizes are in bytes, times in seconds, shares are ratios: whoever reads a figure need not guess."""
    for gauge in GAUGES:
        words = {"size": "bytes", "when": "timestamp_seconds", "share": "ratio", "seconds": "seconds"}
        wanted = next((unit for word, unit in words.items() if word in gauge.help.split()[:4]), "")
        assert gauge.name.endswith(wanted), gauge.name
    with pytest.raises(ValueError, match="no name"):
        Gauge("unveil_Größe", "a size")
    with pytest.raises(ValueError, match="labels"):
        GaugeReading(Gauge("unveil_pairs", "pairs", ("project",)), 1.0)


# The pace of reviewers


def log_of(database: Database, steps: list[tuple[float, Decision]]) -> PaceReader:
    """A reader of a log with these decisions, by when they were taken."""
    log = database.project("stroke")
    for at, decision in steps:
        log.append(kind="decision", body=frames.write(decision), time=at)
    return PaceReader(log)


def task(number: int) -> bytes:
    return number.to_bytes(16, "big")


SURE = np.array([1.0], "<f8").tobytes()


def test_the_pace_counts_what_all_reviewers_did_and_names_none(tmp_path: Path) -> None:
    """Labels at the page when they are given, a program's when they are final; made-up pairs are work like others."""
    now = 10 * DAY
    steps: list[tuple[float, Decision]] = [
        (now - 2 * DAY, HandedOut(task(1), 0, b"ann")),
        (now - 2 * DAY + 9, Drafted(task(1), 1, SURE, b"ann")),
        (now - 2 * HOUR, HandedOut(task(2), 0, b"ann")),
        (now - 2 * HOUR + 20, Drafted(task(2), 1, SURE, b"ann")),
        (now - 600, GoldPlaced(task(3), 5, 1, 0, b"bob")),
        (now - 570, Drafted(task(3), 1, SURE, b"bob")),
        (now - 60, Decided(task(1) + task(2), bytes([1, 1]), SURE * 2, b"ann")),
        (now - 50, Decided(task(4), bytes([1]), SURE, b"a program")),
    ]  # fmt: skip
    with Database.open(tmp_path / "log.sqlite", role="review unit") as database:
        reader = log_of(database, steps)
        assert ReviewPace(at_work=1, last_hour=2, last_day=3, seconds_each=20) == reader.pace(now)
        assert ReviewPace(at_work=0, last_hour=0, last_day=2, seconds_each=20) == reader.pace(now + 23 * HOUR)
        assert not hasattr(reader.pace(now), "reviewers")


# Lines in the log


class _At:
    def __init__(self, *stages: StageStatus) -> None:
        self._stages = list(stages)

    @property
    def stage(self) -> StageStatus:
        return self._stages.pop(0)


def test_a_line_is_written_when_a_stage_is_reached_or_somebody_else_is_waited_for() -> None:
    """And none while only a count moves: a log with a line for every answer is read by nobody."""
    written = io.StringIO()
    lines = StageLines("stroke", logger(written))
    stages = [
        StageStatus(StageKind.UPLOADING, Awaited.OWNERS, CountedKind.UPLOADS, 0, 2),
        StageStatus(StageKind.UPLOADING, Awaited.OWNERS, CountedKind.UPLOADS, 1, 2),
        StageStatus(StageKind.LEARNING, Awaited.RECORD_UNIT),
        StageStatus(StageKind.LEARNING, Awaited.ATTRIBUTE_UNIT, CountedKind.BATCHES, 1, 5),
        StageStatus(StageKind.FINISHED, Awaited.NOBODY),
    ]
    machine = _At(*stages)
    for _ in stages:
        lines.look(machine)
    said = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [
        ("stage reached", "uploading", None, None),
        ("waiting for", "uploading", "owners", 0),
        ("stage reached", "learning", None, None),
        ("waiting for", "learning", "record unit", None),
        ("waiting for", "learning", "attribute unit", 1),
        ("stage reached", "finished", None, None),
    ] == [(each["event"], each["stage"], each.get("waits_for"), each.get("done")) for each in said]
    assert {"stroke"} == {each["project"] for each in said}


def test_a_unit_says_which_stage_it_has_reached(tmp_path: Path) -> None:
    """Also the one that it was in before it was started."""
    written = io.StringIO()
    with Database.open(tmp_path / "log.sqlite", role="record unit") as database:
        for begin in (agree, lambda at: upload(at, A, people(1, 5)), lambda at: upload(at, B, people(1, 5))):
            at = host(database, tmp_path, project())
            at.noticed = StageLines(PROJECT, logger(written)).look
            begin(at)
            at.advance()
    said = [json.loads(line) for line in written.getvalue().splitlines()]
    reached = [each["stage"] for each in said if each["event"] == "stage reached"]
    assert ["agreeing", "uploading", "uploading", "uploading", "comparing", "learning"] == reached
