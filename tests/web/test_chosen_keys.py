"""Which single keys somebody may choose: one letter for each act, or none at all."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from unveil.web.keys import ACTS, OFF, USUAL, ChosenKeys


@given(st.text(max_size=9) | st.text("mnskauhxyz", min_size=len(ACTS), max_size=len(ACTS)))
@example('mnskau"')
@example("MNSKAUH")
@example("mnskauß")
def test_whatever_a_cookie_says_each_act_has_a_letter_of_its_own(written: str) -> None:
    """A cookie is the browser's word, and goes into the page."""
    found = ChosenKeys.read(written)
    assert set(ACTS) == set(found.of)
    assert len(ACTS) == len(set(found.of.values()))
    assert found.off or all(key in "abcdefghijklmnopqrstuvwxyz" for key in found.written)
    assert (found.written == written) == (written == OFF or sorted(set(written)) == sorted(found.of.values()))


@given(st.lists(st.sampled_from("abcdefgh"), min_size=len(ACTS), max_size=len(ACTS)))
def test_a_form_with_one_letter_twice_is_no_choice(letters: list[str]) -> None:
    form = dict(zip(ACTS, letters, strict=True))
    found = ChosenKeys.chosen(form)
    assert (found is not None) == (len(set(letters)) == len(ACTS))
    if found is not None:
        assert form == found.of


def test_switched_off_the_buttons_stay_and_the_form_shows_the_usual_letters() -> None:
    found = ChosenKeys.chosen({"off": "yes"})
    assert found is not None
    assert (True, USUAL) == (found.off, "".join(found.of.values()))
