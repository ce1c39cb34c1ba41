"""Long work: a machine says that it is due, decides nothing before it is done, and takes only its own result."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import pytest
from encoded_uploads import FINGERPRINT, agreed, fingerprint, upload
from small_project import (
    OWNERS,
    SCHEMA,
    A,
    B,
    ids,
    make_attribute_unit,
    make_owner,
    make_record_unit,
    make_review_unit,
    sent,
    state_of,
    with_protocol,
)

from unveil.errors import Cancelled, LocalProtocolError, ProtocolError
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Decision, Machine, Work, do_due_work, fold, settle
from unveil.protocol.messages import Agreement, Bootstrap, JoinTable, LinkQuality, LinkTable
from unveil.protocol.roles import ATTRIBUTE_UNIT
from unveil.roles.record_unit.decisions import Judged, PairsAsked
from unveil.roles.record_unit.machine import RecordUnit


def uploaded(unit: RecordUnit | None = None) -> tuple[RecordUnit, list[Envelope | Decision]]:
    """A unit that has to compare next, and its log from the first upload on."""
    unit, log = agreed(unit), []
    for envelope in (upload(A), upload(B, first=100)):
        events: list[Envelope | Decision] = [unit.admit(envelope)]
        unit.apply(events[0])
        while (step := unit.decide(0.0)) is not None:
            unit.apply(step.decision)
            events.append(step.decision)
        log += events
    return unit, log


def due(machine: Machine) -> Work:
    """The work that is due."""
    work = machine.work()
    assert work is not None
    return work


def ignore(_share: float) -> None:
    """Nobody watches."""


def test_a_unit_with_work_due_says_so_and_decides_nothing() -> None:
    """Not even what it could: the log would not tell whether the work came before."""
    unit, _ = uploaded()
    assert "comparing" == due(unit).name
    assert due(unit) is due(unit)
    assert unit.decide(0.0) is None
    unit.apply(unit.admit(fingerprint(A)))
    assert unit.decide(0.0) is None
    do_due_work(unit)
    assert unit.work() is None
    assert [Agreement(1, FINGERPRINT)] == sent(settle(unit), A)[:1]


def test_work_is_due_only_when_every_upload_has_been_screened() -> None:
    """One owner's records can be compared with nobody's."""
    unit = agreed()
    assert unit.work() is None
    unit.apply(unit.admit(upload(A)))
    unit.apply(unit.admit(upload(B)))
    assert unit.work() is None
    for expected in (False, True):
        step = unit.decide(0.0)
        assert step is not None
        unit.apply(step.decision)
        assert expected == (unit.work() is not None)


def test_nothing_is_computed_by_asking() -> None:
    """Candidates are an error before they were compared, counts are 0: no property compares in secret."""
    unit = make_record_unit(with_protocol(SCHEMA, models="prior"))
    unit._compare = _forbidden
    uploaded(unit)
    assert (None, 0, 0) == (unit.comparison, unit.kept_pairs, len(unit.layer))
    for ask in (lambda: unit.candidates, unit.matches, lambda: unit.t):
        with pytest.raises(ProtocolError, match="nothing was compared yet: that is the work that is due"):
            ask()
    with pytest.raises(ProtocolError, match="nothing was compared yet: uploads are missing"):
        _ = make_record_unit().candidates


def _forbidden(*_: object, **__: object) -> NoReturn:
    raise AssertionError("compared in secret")


def test_pairs_cannot_be_asked_about_before_they_were_compared() -> None:
    """An entry of the log that is applied too early is refused clearly, and not by numbers out of range."""
    unit, _ = uploaded()
    with pytest.raises(ProtocolError, match="nothing was compared yet"):
        unit.apply(PairsAsked(ids(1), bytes(8), b"", b""))


def test_work_can_be_done_twice_and_changes_nothing_before_it_is_finished() -> None:
    """It runs outside every lock, beside whatever else the machine takes in."""
    unit, _ = uploaded()
    before, work = state_of(unit), due(unit)
    results = [work.run(ignore) for _ in range(2)]
    assert state_of(results[0]) == state_of(results[1])
    assert before == state_of(unit)
    unit.finish_work(work, results[1])
    assert 8 == unit.kept_pairs == len(unit.layer)
    assert isinstance(sent(settle(unit), ATTRIBUTE_UNIT)[0], Bootstrap)


def test_a_result_is_taken_once() -> None:
    """Twice, every pair would stand twice in the layer."""
    unit, _ = uploaded()
    work = due(unit)
    result = work.run(ignore)
    unit.finish_work(work, result)
    before = state_of(unit)
    with pytest.raises(LocalProtocolError, match="comparing is not due: it was finished before"):
        unit.finish_work(work, result)
    assert before == state_of(unit)


def test_a_result_of_a_machine_that_is_gone_is_refused() -> None:
    """Folded anew after a failed write, a machine has work of its own; that of the old one may have other records."""
    (old, _), (new, _) = uploaded(), uploaded()
    stale = due(old)
    with pytest.raises(LocalProtocolError, match="folded anew"):
        new.finish_work(stale, stale.run(ignore))
    with pytest.raises(LocalProtocolError, match="not what comparing gives"):
        new.finish_work(due(new), None)
    assert (None, "comparing") == (new.comparison, due(new).name)


def test_roles_without_long_work_have_none_and_take_none() -> None:
    """Whoever drives a machine asks all of them alike."""
    work = due(uploaded()[0])
    for machine in (make_owner(), make_attribute_unit(), make_review_unit()):
        assert machine.work() is None
        with pytest.raises(LocalProtocolError, match="no work is due here"):
            machine.finish_work(work, None)


@pytest.mark.parametrize("models", ["paper", "prior"])
def test_the_share_grows_from_nothing_to_all(models: str) -> None:
    """Of comparing and of making evidence together, whichever takes longer."""
    unit, _ = uploaded(make_record_unit(with_protocol(SCHEMA, models=models)))
    seen: list[float] = []
    due(unit).run(seen.append)
    assert sorted(seen) == seen
    assert (0.0, 1.0) == (seen[0], seen[-1])
    assert len(set(seen)) >= (3 if models == "paper" else 4)


def test_work_that_is_cancelled_stays_due() -> None:
    """At whatever moment; afterwards it gives what it would have given."""
    unit, _ = uploaded()
    before = state_of(unit)
    whole: list[float] = []
    expected = state_of(due(unit).run(whole.append))
    for moment in range(len(whole)):
        with pytest.raises(Cancelled):
            due(unit).run(cancelling_after(moment))
    assert before == state_of(unit)
    assert expected == state_of(due(unit).run(ignore))


def cancelling_after(calls: int) -> Callable[[float], None]:
    """Lets so many shares pass."""
    seen: list[float] = []

    def progress(share: float) -> None:
        seen.append(share)
        if len(seen) > calls:
            raise Cancelled("enough")

    return progress


def test_a_message_that_came_during_the_work_is_folded_before_it() -> None:
    """After a restart nobody must wait for a comparison that no entry of the log needs yet."""
    unit, log = uploaded()
    came = unit.admit(fingerprint(B))
    unit.apply(came)
    again = agreed()
    for event in (*log, came):
        fold(again, event)
    assert (None, "comparing") == (again.comparison, due(again).name)
    fold(again, Judged(1))
    assert 8 == again.kept_pairs


def test_the_simulation_does_work_between_two_decisions() -> None:
    """`settle` goes on until neither work nor a decision is due."""
    unit, _ = uploaded(make_record_unit(with_protocol(SCHEMA, layers=1)))
    assert {LinkQuality, LinkTable, JoinTable} == {type(message) for message in sent(settle(unit))}
    assert unit.finished


def test_printing_work_shows_no_encoding() -> None:
    """It holds both owners' uploads, and logs and tracebacks print what they meet."""
    unit, _ = uploaded()
    assert "Comparing(<9 and 9 records>)" == repr(due(unit))
    assert "ComparedRecords(<8 pairs>)" == repr(due(unit).run(ignore))


def test_roles_say_what_they_have_not_finished() -> None:
    """And what must stay when the project is closed: nothing but the link tables."""
    unit, _ = uploaded(make_record_unit(with_protocol(SCHEMA, layers=1)))
    assert ("the links were not found yet, and owners would wait for them", {}) == (
        unit.unfinished(),
        unit.kept_at_closing(),
    )
    settle(unit)
    assert "" == unit.unfinished()
    assert {str(party): 9 * 32 for party in OWNERS} == {
        name: len(table) for name, table in unit.kept_at_closing().items()
    }
    assert "the links have not come yet" == make_owner().unfinished()
    for machine in (make_owner(), make_attribute_unit(), make_review_unit()):
        assert {} == machine.kept_at_closing()
