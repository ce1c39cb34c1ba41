"""Each machine tells where the project stands at it, whom it waits for and how far that is."""

from __future__ import annotations

from asked_attribute_unit import DOUBTFUL, PAIRS, announced, answer, asked, split, verdict
from encoded_uploads import agreed, asking, fingerprint, upload
from small_project import SCHEMA, A, B, ids, make_attribute_unit, make_record_unit, make_review_unit

from unveil.linkage.shown import EQUAL, MISSING, SHOWN
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import AttributeValues, ReviewTask
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.roles.review_unit.display import Verdict

BATCHES = len(SCHEMA.protocol.batches)
BUDGET = SCHEMA.protocol.review.budget


def test_the_record_unit_waits_for_owners_and_then_for_labels() -> None:
    """Fingerprints, uploads, batches: at each step somebody else has to act."""
    unit = make_record_unit()
    assert StageStatus(StageKind.AGREEING, Awaited.OWNERS, CountedKind.FINGERPRINTS, 0, 2) == unit.stage
    receive(unit, fingerprint(A))
    assert StageStatus(StageKind.AGREEING, Awaited.OWNERS, CountedKind.FINGERPRINTS, 1, 2) == unit.stage
    unit = agreed()
    assert StageStatus(StageKind.UPLOADING, Awaited.OWNERS, CountedKind.UPLOADS, 0, 2) == unit.stage
    receive(unit, upload(A))
    assert StageStatus(StageKind.UPLOADING, Awaited.OWNERS, CountedKind.UPLOADS, 1, 2) == unit.stage
    unit, *_ = asking()
    assert StageStatus(StageKind.LEARNING, Awaited.ATTRIBUTE_UNIT, CountedKind.BATCHES, 0, BATCHES) == unit.stage


def test_comparing_waits_for_the_record_unit_itself() -> None:
    """It is work of its own, and owners wonder why nothing happens."""
    unit = agreed()
    for message in (upload(A), upload(B, first=100)):
        unit.apply(unit.admit(message))
        step = unit.decide(0.0)
        assert step is not None
        unit.apply(step.decision)
    assert unit.work() is not None
    assert StageStatus(StageKind.COMPARING, Awaited.RECORD_UNIT) == unit.stage


def test_the_attribute_unit_waits_for_owners_and_then_for_reviewers() -> None:
    """An answer of one owner is none yet; a label counts as soon as it is there."""
    unit = make_attribute_unit()
    assert StageStatus(StageKind.EXPECTING, Awaited.RECORD_UNIT, CountedKind.BATCHES, 0, BATCHES) == unit.stage
    receive(unit, announced(PAIRS, DOUBTFUL))
    receive(unit, answer(A, PAIRS))
    receive(unit, answer(B, PAIRS[:4]))
    assert StageStatus(StageKind.ANSWERING, Awaited.OWNERS, CountedKind.PAIRS, 4, 10) == unit.stage
    unit, task = asked()
    assert StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, 0, BUDGET) == unit.stage
    receive(unit, verdict(split(task.task_ids)[0], [1]))
    assert StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, 1, BUDGET) == unit.stage


def test_the_review_unit_waits_for_values_and_then_for_reviewers() -> None:
    """Only what both owners have answered can be decided."""
    unit = make_review_unit()
    assert StageStatus(StageKind.EXPECTING, Awaited.ATTRIBUTE_UNIT, CountedKind.LABELS, 0, BUDGET) == unit.stage
    states = bytes((SHOWN, EQUAL, MISSING)) * 2
    receive(unit, Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, ReviewTask(3, ids(1, 2), states, bytes(6))))
    assert StageStatus(StageKind.ANSWERING, Awaited.OWNERS, CountedKind.TASKS, 0, 2) == unit.stage
    for party, values in zip((A, B), ({"first_name": "ann"}, {"first_name": "anne"}), strict=True):
        receive(unit, Envelope(party, REVIEW_UNIT, AttributeValues(ids(1), (values,))))
    assert StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, 0, BUDGET) == unit.stage
    unit.apply(unit.judge([Verdict(ids(1), True, 1.0)], reviewer="r").decision)
    assert StageStatus(StageKind.ANSWERING, Awaited.OWNERS, CountedKind.TASKS, 0, 1) == unit.stage
