"""Each warning is one sentence that says what was seen and what to do, with figures and without."""

from __future__ import annotations

import pytest

from unveil.protocol.data_warnings import DataWarning, WarningKind

FIGURES = {"pairs": 812, "agreeing": 3, "equal": 3, "heard": 0.0, "fill": 0.71, "other": 0.4}


@pytest.mark.parametrize("kind", WarningKind)
def test_every_kind_names_its_subject_and_what_to_do(kind: WarningKind) -> None:
    """Whoever reads it knows where to look, also those who are not given the figures."""
    warning = DataWarning(kind, "somebody", FIGURES)
    for sentence in (warning.sentence, warning.without_figures().sentence):
        assert "somebody" in sentence
        assert "unveil schema check --data" in sentence
        assert sentence.isprintable()
        assert not sentence.endswith(".")
    assert not any(letter.isdigit() for letter in warning.without_figures().sentence.replace("40 %", ""))


def test_figures_stand_in_the_sentence() -> None:
    """Three of 812 is another matter than three of 20."""
    assert "(3 of 812)" in DataWarning(WarningKind.KEY_HARDLY_AGREES, "x+y", FIGURES).sentence
    assert (
        "(3 of 812) and counts only for what it tells in these pairs:"
        in DataWarning(WarningKind.ATTRIBUTE_HARDLY_AGREES, "x", FIGURES).sentence
    )
    nothing = DataWarning(WarningKind.ATTRIBUTE_HARDLY_AGREES, "x", {"pairs": 0, "equal": 0, "heard": 0.0})
    assert "the same person and counts only for what it tells in these pairs:" in nothing.sentence
    assert "(0.71 of their bits" in DataWarning(WarningKind.FILL_FAR_OFF, "owner a", FIGURES).sentence
    assert "(0.71 and 0.40 of their bits" in DataWarning(WarningKind.FILLS_DIFFER, "owner a", FIGURES).sentence


def test_a_warning_as_json_has_kind_subject_figures_and_sentence() -> None:
    """Programs act on the fields, people read the sentence."""
    warning = DataWarning(WarningKind.FILL_FAR_OFF, "owner a", {"fill": 0.71})
    expected = {
        "kind": "fill_far_off",
        "subject": "owner a",
        "figures": {"fill": 0.71},
        "sentence": warning.sentence,
    }
    assert expected == warning.as_json()
