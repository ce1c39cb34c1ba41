"""The policy: whatever is wished for, in whatever order, nothing leaves that the owner did not grant."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.records import Column, Records
from unveil.roles.owner.allowance import Allowance, Caps
from unveil.roles.owner.combinations import Combinations
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER, Ledger
from unveil.roles.owner.policy import Approval, Grant, Policy

DAY = 86_400.0
NAMES = ("first_name", "last_name", "zip")
ROWS = [("ann", "north", "1"), ("ann", "north", "2"), ("ann", "south", ""), ("bob", "south", "1"), ("bob", "", "1")]
PEOPLE = Records(
    [str(i) for i in range(len(ROWS))], {name: Column.of([row[at] for row in ROWS]) for at, name in enumerate(NAMES)}
)
PRESENT = np.array([[value != "" for value in row] for row in ROWS])
COMBINATIONS = Combinations(PEOPLE, NAMES)

wishes = st.lists(
    st.tuples(st.integers(0, len(ROWS) - 1), st.tuples(*[st.booleans()] * 3), st.floats(0, 1, exclude_max=True)),
    max_size=5,
)
batches = st.lists(
    st.tuples(st.sampled_from([ATTRIBUTE_LAYER, REVIEW_LAYER]), st.floats(0, 3 * DAY), wishes), max_size=8
)
cap = st.none() | st.integers(0, 6)
subsets = st.frozensets(st.sampled_from(NAMES))


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    return Policy(
        layers=draw(st.none() | st.lists(st.integers(1, 3), min_size=5, max_size=5).map(lambda x: np.array(x, "u1"))),
        response_rate_a=draw(st.sampled_from([1.0, 0.5])),
        response_rate_c=draw(st.sampled_from([1.0, 0.5])),
        never=draw(subsets),
        never_encoded=draw(subsets),
        smallest_k=draw(st.integers(1, 3)),
        caps=Caps(*[draw(cap) for _ in range(7)]),
    ).fitted(NAMES, len(ROWS))


def ask(
    policy: Policy,
    layer: int,
    rows: list[int],
    asked: list[tuple[bool, ...]] | None = None,
    *,
    ledger: Ledger | None = None,
    now: float = 0.0,
    luck: list[float] | None = None,
) -> Grant:
    """Wish for attributes (all if none are named) of these records."""
    at = np.array(rows, np.int64)
    marks = PRESENT[at] if asked is None else PRESENT[at] & np.array(asked, bool).reshape(len(rows), 3)
    chance = np.zeros(len(rows)) if luck is None else np.array(luck)
    ledger = Ledger(len(ROWS), 3) if ledger is None else ledger
    return policy.grants(layer, at, marks, ledger=ledger, now=now, luck=chance, combinations=COMBINATIONS)


def names(granted: NDArray[np.bool_]) -> list[str]:
    return [name for name, goes in zip(NAMES, granted, strict=True) if goes]


@settings(max_examples=300, deadline=None)
@given(policies(), batches)
def test_no_sequence_of_wishes_gets_more_than_the_policy_allows(
    policy: Policy, book: list[tuple[int, float, list[tuple[int, tuple[bool, ...], float]]]]
) -> None:
    """Caps, consent, attributes that never go, and k: all of them, after every batch."""
    ledger, caps = Ledger(len(ROWS), 3), policy.caps
    for layer, now, batch in book:
        rows = [row for row, _, _ in batch]
        grant = ask(
            policy, layer, rows, [a for _, a, _ in batch], ledger=ledger, now=now, luck=[x for _, _, x in batch]
        )
        assert not grant.attributes[~grant.rows].any()
        some = np.flatnonzero(grant.rows)
        ledger.charge(layer, np.array(rows, np.int64)[some], grant.attributes[some], now)
        for got, most in (
            (ledger.times(ATTRIBUTE_LAYER).max(), caps.record_pairs),
            (ledger.times(REVIEW_LAYER).max(), caps.record_reviews),
            (ledger.records(REVIEW_LAYER).max(), caps.attribute_records),
            (ledger.pairs(ATTRIBUTE_LAYER), caps.project_pairs),
            (ledger.disclosures(REVIEW_LAYER), caps.project_values),
            (max((day.pairs for day in ledger.days(ATTRIBUTE_LAYER).values()), default=0), caps.day_pairs),
            (max((day.values for day in ledger.days(REVIEW_LAYER).values()), default=0), caps.day_values),
        ):
            assert most is None or got <= most
    shown, encoded = ledger.disclosed(REVIEW_LAYER), ledger.disclosed(ATTRIBUTE_LAYER)
    for at, name in enumerate(NAMES):
        assert not (name in policy.never_encoded and encoded[:, at].any())
        assert not (name in policy.never | policy.never_encoded and shown[:, at].any())
    for row in range(len(ROWS)):
        layer = 3 if policy.layers is None else int(policy.layers[row])
        assert layer >= 2 or not ledger.times_of(ATTRIBUTE_LAYER, row)
        assert layer >= 3 or not ledger.times_of(REVIEW_LAYER, row)
        assert not shown[row].any() or COMBINATIONS.count(row, shown[row]) >= policy.smallest_k


@given(policies(), batches)
def test_when_everybody_opted_out_nothing_is_granted(
    policy: Policy, book: list[tuple[int, float, list[tuple[int, tuple[bool, ...], float]]]]
) -> None:
    """Not even an empty answer: it would say that the record is there."""
    nobody = replace(policy, layers=np.ones(len(ROWS), np.uint8))
    for layer, now, batch in book:
        grant = ask(nobody, layer, [row for row, _, _ in batch], [a for _, a, _ in batch], now=now)
        assert not grant.rows.any()
        assert not grant.attributes.any()


@given(st.integers(0, 4), st.tuples(*[st.booleans()] * 3))
def test_a_combination_is_counted_as_it_stands_in_the_data(row: int, marks: tuple[bool, ...]) -> None:
    """Counting one by one is the definition."""
    chosen = [at for at in range(3) if marks[at]]
    expected = sum(all(other[at] == ROWS[row][at] for at in chosen) for other in ROWS)
    assert expected == COMBINATIONS.count(row, np.array(marks))


def test_without_limits_everything_is_granted() -> None:
    """An owner that writes no policy takes part fully."""
    grant = ask(Policy(), REVIEW_LAYER, [0, 1, 2])
    assert [True] * 3 == grant.rows.tolist()
    assert PRESENT[:3].tolist() == grant.attributes.tolist()


def test_wishes_of_one_batch_count_against_the_caps_in_order() -> None:
    """The ledger is charged after the batch, so the batch must count itself."""
    three = Policy(caps=Caps(record_pairs=2, project_pairs=3))
    assert [True, True, False, True, False] == ask(three, ATTRIBUTE_LAYER, [0, 0, 0, 1, 2]).rows.tolist()
    values = Policy(caps=Caps(project_values=5))
    # Three values, then two of the two that are left; the third wish would need one more.
    assert [True, True, False] == ask(values, REVIEW_LAYER, [0, 2, 3]).rows.tolist()


def test_a_wish_that_would_cross_a_cap_does_not_block_a_smaller_one_after_it() -> None:
    """What is left may still be used."""
    policy = Policy(caps=Caps(day_values=2))
    grant = ask(policy, REVIEW_LAYER, [0, 1], [(True, True, True), (True, False, False)])
    assert [False, True] == grant.rows.tolist()


def test_a_new_day_brings_a_new_daily_allowance() -> None:
    """And the old day's stays spent, should the clock go back."""
    policy, ledger = Policy(caps=Caps(day_pairs=1)), Ledger(len(ROWS), 3)
    ledger.charge(ATTRIBUTE_LAYER, np.array([0]), np.ones((1, 3), bool), DAY - 1)
    answers = [ask(policy, ATTRIBUTE_LAYER, [1], ledger=ledger, now=now).rows[0] for now in (DAY - 1, DAY, 1.0)]
    assert [False, True, False] == answers


def test_an_attribute_whose_cap_is_reached_is_left_out_except_for_records_that_disclosed_it() -> None:
    """What reviewers know of a record they may be told again."""
    policy, ledger = Policy(caps=Caps(attribute_records=1)), Ledger(len(ROWS), 3)
    ledger.charge(REVIEW_LAYER, np.array([0]), np.array([[True, False, False]]), 0.0)
    grant = ask(policy, REVIEW_LAYER, [0, 1], [(True, True, False), (True, False, True)], ledger=ledger)
    assert [["first_name", "last_name"], ["zip"]] == [names(row) for row in grant.attributes]
    alone = ask(policy, REVIEW_LAYER, [1], [(True, False, False)], ledger=ledger)
    assert [False] == alone.rows.tolist()


def test_attributes_that_never_go_are_left_out_without_a_word() -> None:
    """An empty answer is no refusal: the reviewer may decide by the rest."""
    policy = Policy(never=frozenset({"zip"})).fitted(NAMES, len(ROWS))
    grant = ask(policy, REVIEW_LAYER, [0, 1], [(True, False, True), (False, False, True)])
    assert [True, True] == grant.rows.tolist()
    assert [["first_name"], []] == [names(row) for row in grant.attributes]
    assert NAMES == tuple(names(ask(policy, ATTRIBUTE_LAYER, [0]).attributes[0]))


def test_what_is_never_encoded_is_never_shown_either() -> None:
    """A value says more than its encoding."""
    policy = Policy(never_encoded=frozenset({"zip"})).fitted(NAMES, len(ROWS))
    for layer in (ATTRIBUTE_LAYER, REVIEW_LAYER):
        assert ["first_name", "last_name"] == names(ask(policy, layer, [0]).attributes[0])


def test_the_attribute_goes_whose_removal_raises_k_most() -> None:
    """ann north 1 is alone; without the ZIP code there are two of her, without the last name still one."""
    assert [1, 2, 1, 1] == [
        COMBINATIONS.count(0, np.array(marks)) for marks in ([1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1])
    ]
    assert ["first_name", "last_name"] == names(ask(Policy(smallest_k=2), REVIEW_LAYER, [0]).attributes[0])
    assert ["first_name"] == names(ask(Policy(smallest_k=3), REVIEW_LAYER, [0]).attributes[0])


def test_a_record_that_nobody_is_like_is_refused() -> None:
    """Of five records no value is shared by four."""
    assert [False] == ask(Policy(smallest_k=4), REVIEW_LAYER, [0]).rows.tolist()


def test_k_holds_for_all_reviews_of_a_record_together() -> None:
    """First the name, then the ZIP code: each is common, together they are one person."""
    policy, ledger = Policy(smallest_k=2), Ledger(len(ROWS), 3)
    ledger.charge(REVIEW_LAYER, np.array([0]), np.array([[True, False, False]]), 0.0)
    assert [False] == ask(policy, REVIEW_LAYER, [0], [(False, False, True)], ledger=ledger).rows.tolist()
    assert [True] == ask(policy, REVIEW_LAYER, [0], [(True, True, False)], ledger=ledger).rows.tolist()
    within = ask(policy, REVIEW_LAYER, [0, 0], [(True, False, False), (False, False, True)])
    assert [True, False] == within.rows.tolist()


def test_what_was_shown_under_a_smaller_k_stays_with_it() -> None:
    """A stricter policy shows nothing more of a record that it would not have shown before."""
    ledger = Ledger(len(ROWS), 3)
    ledger.charge(REVIEW_LAYER, np.array([0]), np.array([[True, False, True]]), 0.0)
    assert [False] == ask(Policy(smallest_k=2), REVIEW_LAYER, [0], [(True, True, True)], ledger=ledger).rows.tolist()


def test_k_is_about_reviewers_alone() -> None:
    """The attribute unit gets keyed encodings, not values."""
    assert [True] == ask(Policy(smallest_k=4), ATTRIBUTE_LAYER, [0]).rows.tolist()


def test_a_wish_for_values_that_are_not_there_is_granted_and_empty() -> None:
    """A refusal would say something else: that the owner does not want to."""
    grant = ask(Policy(smallest_k=2, caps=Caps(project_values=0)), REVIEW_LAYER, [2], [(False, False, True)])
    assert ([True], [[False] * 3]) == (grant.rows.tolist(), grant.attributes.tolist())


def test_luck_decides_by_the_response_rate() -> None:
    """A rate of 1 answers all, of 0 none; in between those whose number is below it."""
    luck = [0.0, 0.3, 0.7, 0.999]
    for rate, expected in ((0.0, [False] * 4), (0.5, [True, True, False, False]), (1.0, [True] * 4)):
        for layer, policy in (
            (ATTRIBUTE_LAYER, Policy(response_rate_a=rate)),
            (REVIEW_LAYER, Policy(response_rate_c=rate)),
        ):
            assert expected == ask(policy, layer, [0, 1, 2, 3], luck=luck).rows.tolist()


@pytest.mark.parametrize(
    ("approval", "expected"), [("none", (False, False)), ("review", (False, True)), ("all", (True, True))]
)
def test_a_person_approves_what_the_policy_says(approval: Approval, expected: tuple[bool, bool]) -> None:
    policy = Policy(approval=approval)
    assert expected == (policy.needs_approval(ATTRIBUTE_LAYER), policy.needs_approval(REVIEW_LAYER))


def test_a_policy_must_fit_before_it_is_asked() -> None:
    """A misspelt or unchecked name would let go what it was meant to keep."""
    with pytest.raises(SettingError, match="not in the schema: zpi"):
        Policy(never=frozenset({"zpi"})).fitted(NAMES, 5)
    with pytest.raises(SettingError, match="must be fitted"):
        ask(Policy(never=frozenset({"zip"})), REVIEW_LAYER, [0])
    with pytest.raises(SettingError, match="for 2 records, the data has 5"):
        Policy(layers=np.ones(2, np.uint8)).fitted(NAMES, 5)
    with pytest.raises(SettingError, match="needs the combinations"):
        Policy(smallest_k=2).grants(
            REVIEW_LAYER, np.array([0]), np.ones((1, 3), bool), ledger=Ledger(5, 3), now=0, luck=np.zeros(1)
        )


def test_settings_that_mean_nothing_are_refused() -> None:
    for make in (
        lambda: Policy(smallest_k=0),
        lambda: Policy(approval="never"),  # type: ignore[arg-type]
        lambda: Policy(response_rate_a=float("nan")),
        lambda: Policy(layers=np.array([0], np.uint8)),
        lambda: Caps(day_values=-1),
    ):
        with pytest.raises(SettingError):
            make()


def test_consent_is_read_without_case_and_blanks() -> None:
    """ "No" written by another clerk is still no."""
    policy = Policy().with_consent(["yes", " YES", "No ", "", "perhaps"], {"Yes": 3, "no": 2}, 1)
    assert policy.layers is not None
    assert [3, 3, 2, 1, 1] == policy.layers.tolist()
    with pytest.raises(SettingError, match="case or blanks"):
        Policy().with_consent(["yes"], {"yes": 3, "YES": 1}, 1)
    with pytest.raises(SettingError, match="1, 2 or 3"):
        Policy().with_consent(["yes"], {"yes": 4}, 1)


def test_a_list_can_only_lower_what_the_column_says() -> None:
    """Whoever withdrew after the column was filled in is out; nobody gets in by a list."""
    policy = Policy().with_consent(["yes", "yes", "no"], {"yes": 3, "no": 1}, 1)
    lowered = policy.with_list(["a", "b", "c"], {"b": 2, "c": 3})
    assert lowered.layers is not None
    assert [3, 2, 1] == lowered.layers.tolist()
    opt_in = Policy().with_list(["a", "b", "c"], {"b": 3}, otherwise=1)
    assert opt_in.layers is not None
    assert [1, 3, 1] == opt_in.layers.tolist()
    with pytest.raises(SettingError, match="for 3 records and for 1"):
        policy.with_list(["a"], {})


def test_an_unknown_id_on_a_list_is_an_error_that_names_no_id() -> None:
    with pytest.raises(SettingError, match="1 of 2 ids on the consent list are not in the data") as caught:
        Policy().with_list(["a", "b"], {"b": 1, "0077": 1})
    assert "0077" not in str(caught.value)


def test_printing_a_policy_shows_no_record() -> None:
    """Who opted out is personal."""
    assert "layers" not in repr(Policy(layers=np.ones(3, np.uint8)))


def test_common_values_are_counted_fast_enough_for_a_large_register() -> None:
    """Every distinct combination of common values is counted once, however often it is asked."""
    n = 100_000
    draw = np.random.default_rng(1)
    columns = {
        name: Column(tuple(f"v{i}" for i in range(size)), draw.integers(0, size, n).astype(np.int32))
        for name, size in (("sex", 2), ("year", 100), ("name", 5000))
    }
    combinations = Combinations(Records([str(i) for i in range(n)], columns), tuple(columns))
    marks = [np.array(chosen, bool) for chosen in product((0, 1), repeat=3)]
    for row in range(500):
        counts = [combinations.count(row, some) for some in marks]
        assert n == counts[0]
        assert counts[0] > counts[4] > counts[6] >= counts[7] >= 1
    codes = np.stack([column.codes for column in columns.values()], axis=1)
    for row in range(20):
        assert (codes == codes[row]).all(axis=1).sum() == combinations.count(row, marks[7])
        assert (codes[:, 1:] == codes[row, 1:]).all(axis=1).sum() == combinations.count(row, marks[3])


@given(
    rows=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    before=st.lists(st.integers(0, 3), max_size=6),
    record=st.integers(0, 6),
    project=st.integers(0, 20),
)
@settings(max_examples=150)
def test_wishes_that_all_fit_are_granted_as_they_would_be_one_by_one(
    rows: list[int], before: list[int], record: int, project: int
) -> None:
    """Looking at all at once is for speed alone."""
    ledger, width = Ledger(4, 3), 3
    ledger.charge(ATTRIBUTE_LAYER, np.array(before, np.int64), np.ones((len(before), width), bool), 0.0)
    policy = Policy(caps=Caps(record_pairs=record, project_pairs=project))
    asked = np.ones((len(rows), width), bool)

    def grant() -> list[bool]:
        found = policy.grants(ATTRIBUTE_LAYER, np.array(rows), asked, ledger=ledger, now=0.0, luck=np.zeros(len(rows)))
        assert found.rows.tolist() == found.attributes.all(axis=1).tolist()
        return found.rows.tolist()

    together = grant()
    with mock.patch.object(Allowance, "takes_all", return_value=False):
        assert grant() == together
