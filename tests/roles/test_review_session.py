import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import SettingError
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.session import ReviewSession, batch_key

task_ids = st.binary(min_size=1, max_size=4)
labels = st.dictionaries(task_ids, st.tuples(st.sampled_from([True, False, None]), st.sampled_from([0.5, 0.8, 1.0])))
openings = st.dictionaries(task_ids, st.dictionaries(st.sampled_from(["zip", "city"]), st.sampled_from(Stage)))


@given(labels, openings, st.sets(st.text(max_size=3)))
def test_a_session_comes_back_as_it_was_written(
    given_labels: dict[bytes, tuple[bool | None, float]],
    opened: dict[bytes, dict[str, Stage]],
    handed_in: set[str],
) -> None:
    """A restart must find every label and every opening."""
    session = ReviewSession("run", given_labels, opened, handed_in)
    back = ReviewSession.from_json(session.to_json())
    assert ("run", given_labels, handed_in) == (back.run, back.labels, back.handed_in)
    for task_id in opened:
        assert session.stages(task_id) == back.stages(task_id)


def test_a_stage_never_falls() -> None:
    """An opening cannot be taken back, whoever asks."""
    session = ReviewSession("run")
    session.open(b"t", {"zip": Stage.FULL})
    session.open(b"t", {"zip": Stage.MASKED})
    assert {"zip": Stage.FULL} == session.stages(b"t")


@pytest.mark.parametrize("p", ["0.4", "NaN", "null"])
def test_a_label_outside_its_range_is_refused(p: str) -> None:
    """A session file may have been edited; what it says becomes a weight."""
    text = f'{{"version": 1, "run": "", "handed_in": [], "tasks": {{"00": {{"label": "match", "p": {p}}}}}}}'
    with pytest.raises(SettingError, match="cannot be read"):
        ReviewSession.from_json(text)


def test_a_batch_is_known_by_its_tasks_and_their_order() -> None:
    """Two batches must not share a name because their ids run together."""
    assert 3 == len({batch_key([b"ab", b"c"]), batch_key([b"a", b"bc"]), batch_key([b"c", b"ab"])})
