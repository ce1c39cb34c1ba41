"""Where a linkage stands: one value for pages, commands and gauges, and who is waited for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus, linkage_stage

LEARNING = StageStatus(StageKind.LEARNING, Awaited.ATTRIBUTE_UNIT, CountedKind.BATCHES, 2, 9)
LABELS = StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, 37, 100)
EXPECTING = StageStatus(StageKind.EXPECTING, Awaited.RECORD_UNIT)
VALUES = StageStatus(StageKind.ANSWERING, Awaited.OWNERS, CountedKind.TASKS, 3, 20)

counts = st.none() | st.integers(0, 10**6)
stages = st.builds(
    StageStatus,
    st.sampled_from(StageKind),
    st.sampled_from(Awaited),
    st.none() | st.sampled_from(CountedKind),
    counts,
    counts,
)


def test_a_linkage_waits_for_those_whom_the_lowest_unit_waits_for() -> None:
    """The record unit only knows that it waits for the attribute unit; a person wants to know for whom that waits."""
    assert LABELS == linkage_stage({"record unit": LEARNING, "attribute unit": LABELS, "review unit": LABELS})
    assert VALUES == linkage_stage({"record unit": LEARNING, "attribute unit": LABELS, "review unit": VALUES})
    assert LABELS == linkage_stage({"record unit": LEARNING, "attribute unit": LABELS})
    assert "pairs are reviewed; waits for reviewers, 37 of 100 labels" == LABELS.sentence


def test_a_message_on_its_way_is_not_taken_for_idleness() -> None:
    """Between two units, the lower one does not know yet that it is waited for."""
    assert LEARNING == linkage_stage({"record unit": LEARNING, "attribute unit": EXPECTING, "review unit": EXPECTING})
    assert LABELS == linkage_stage({"record unit": LEARNING, "attribute unit": LABELS, "review unit": EXPECTING})
    assert linkage_stage({"attribute unit": LABELS}) is None


def test_what_units_below_say_does_not_matter_once_nobody_waits_for_them() -> None:
    """The last labels may still be counted as waited for while the links are out."""
    finished = StageStatus(StageKind.FINISHED, Awaited.NOBODY)
    assert finished == linkage_stage({"record unit": finished, "attribute unit": LABELS})
    assert "finished" == finished.sentence


@given(stages)
def test_without_figures_no_number_is_told(stage: StageStatus) -> None:
    """What parties are told of others' work holds no count, in fields or in words."""
    told = stage.without_figures()
    assert not any(letter.isdigit() for letter in told.sentence)
    assert (None, None, None) == (told.counted, told.done, told.of)
    assert (stage.kind, stage.awaited) == (told.kind, told.awaited)
