"""Wishes made even: who has no partner is wished for about as often as who has one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.evening import further_wishes, membership
from unveil.linkage.outcome import Flags, Outcomes, Reals

N = 20_000
seeds = st.integers(0, 2**32 - 1)


def register(rng: np.random.Generator) -> tuple[Reals, Flags]:
    """What is believed of each record, rightly: a fifth are members, most of them for certain."""
    sure = rng.random(N)
    member = np.where(sure < 0.15, 0.999, np.where(sure < 0.25, rng.random(N), 0.0))
    return member, rng.random(N) < member


def rates(count: np.ndarray, member: Flags, level: int = 1) -> tuple[float, float]:
    """How many members, and how many others, are wished for so often."""
    return float((count[member] >= level).mean()), float((count[~member] >= level).mean())


def wishes(wished: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return wished + np.bincount(rows, minlength=N)


EVERYBODY_ONCE = np.arange(N)
NONE_BEFORE = np.empty((N, 0), np.uint8)


@given(seeds, st.floats(0.01, 0.5), st.floats(0.0, 0.05), st.floats(0.5, 1.0))
def test_members_and_others_are_wished_for_at_about_the_same_rate(
    seed: int, of_members: float, of_others: float, evenness: float
) -> None:
    """Within what chance does to so many records, once, twice, or however little is asked."""
    rng = np.random.default_rng(seed)
    believed, member = register(rng)
    # What is drawn goes by what is believed: the truth is known to nobody.
    wished = (rng.random(N) < of_members * believed + of_others * (1 - believed)).astype(np.uint8)
    wished[wished > 0] += (rng.random(int(wished.sum())) < 0.3).astype(np.uint8)
    rows = further_wishes(believed, wished, NONE_BEFORE, EVERYBODY_ONCE, evenness=evenness, rng=rng)
    count = wishes(wished, rows)
    for level in (1, 2):
        one, other = rates(count, member, level)
        # Who is wished for twice is even among those that are wished for once, who are even among all.
        lowest = evenness**level
        assert lowest * one - 0.03 < other < one / lowest + 0.03


@given(seeds)
def test_what_an_owner_has_seen_over_all_batches_is_as_likely_for_members_and_others(seed: int) -> None:
    """Not only each batch by itself: among those with the same past, the next batch is even too."""
    rng = np.random.default_rng(seed)
    believed, member = register(rng)
    past: list[np.ndarray] = []
    for rate in (0.3, 0.2, 0.1):
        before = np.stack(past, axis=1) if past else NONE_BEFORE
        # Who was wished for before is more likely to be wished for again, as uncertain records are.
        keen = 1 + (before.sum(axis=1) > 0)
        wished = (rng.random(N) < np.maximum(rate * believed, 0.01) * keen).astype(np.uint8)
        rows = further_wishes(believed, wished, before, EVERYBODY_ONCE, evenness=1.0, rng=rng)
        past.append(wishes(wished, rows).astype(np.uint8))
    pattern = (np.stack(past, axis=1) > 0) @ np.array([4, 2, 1])
    for one in range(8):
        assert abs((pattern[member] == one).mean() - (pattern[~member] == one).mean()) < 0.035


def test_an_uneven_register_is_told_apart_before() -> None:
    """The figures above say something: without further wishes the rates differ by far."""
    rng = np.random.default_rng(1)
    _, member = register(rng)
    one, other = rates((rng.random(N) < np.where(member, 0.5, 0.01)).astype(np.uint8), member)
    assert one - other > 0.4


@given(seeds)
def test_nobody_is_drawn_where_nobody_is_wished_for_or_wishes_are_even(seed: int) -> None:
    """Every pair of strangers costs an encoding."""
    rng = np.random.default_rng(seed)
    believed, _ = register(rng)
    for wished in (np.zeros(N, np.uint8), np.ones(N, np.uint8)):
        rows = further_wishes(believed, wished, NONE_BEFORE, EVERYBODY_ONCE, evenness=0.9, rng=rng)
        assert 0 == len(rows)
    fair = (rng.random(N) < 0.3).astype(np.uint8)
    assert len(further_wishes(believed, fair, NONE_BEFORE, EVERYBODY_ONCE, evenness=0.8, rng=rng)) < N / 100


def in_several_records(rng: np.random.Generator, people: int, copies: int) -> np.ndarray:
    """Whose each record is: some people have several, in rows that are anywhere."""
    person = np.arange(N)
    rows = rng.choice(N, people * copies, replace=False).reshape(people, copies)
    person[rows] = rows[:, :1]
    return np.unique(person, return_inverse=True)[1]


@given(seeds)
def test_all_records_of_a_person_are_wished_for_alike_and_in_the_first_batch(seed: int) -> None:
    """Several entries of one person would else tell together what one alone does not."""
    rng = np.random.default_rng(seed)
    believed, member = register(rng)
    person = in_several_records(rng, 50, 4)
    wished = (rng.random(N) < np.where(member, 0.3, 0.01)).astype(np.uint8)
    count = wishes(wished, further_wishes(believed, wished, NONE_BEFORE, person, evenness=0.9, rng=rng))
    for rows in (np.flatnonzero(person == one) for one in np.flatnonzero(np.bincount(person) > 1)):
        assert 1 == len(set(count[rows].tolist()))
        assert count[rows[0]] >= 1


@given(seeds)
def test_people_of_several_records_are_wished_for_as_often_whether_they_have_a_partner_or_not(seed: int) -> None:
    """Also where each record by itself seems hardly to have one, since they are each other's rivals."""
    rng = np.random.default_rng(seed)
    person = in_several_records(rng, 2_000, 4)
    several = np.bincount(person) > 1
    member = rng.random(len(several)) < 0.3
    believed = np.where(several, 0.35, 0.97)[person] * member[person]
    before = np.ones((N, 1), np.uint8)
    wished = (rng.random(N) < np.where(member[person], 0.2, 0.01)).astype(np.uint8)
    count = wishes(wished, further_wishes(believed, wished, before, person, evenness=1.0, rng=rng))
    asked = np.zeros(len(several), np.int64)
    np.maximum.at(asked, person, count)
    one, other = rates(asked[several], member[several])
    assert abs(one - other) < 0.08
    one, other = rates(np.bincount(person, wished)[several], member[several])
    assert one - other > 0.4, "there was something to be made even"


def test_membership_is_how_likely_one_of_the_candidates_is_the_partner() -> None:
    """1 - the product of (1 - p); 0 without candidates."""
    outcomes = Outcomes(np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 1.0]))
    found = membership(np.array([0, 0, 2, 3], np.int32), outcomes, 4)
    assert pytest.approx([1 - 0.1 * 0.6, 0.0, 0.5, 0.0]) == found
