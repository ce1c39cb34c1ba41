"""Wishes made even: who has no partner is wished for about as often as who has one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.evening import further_wishes, membership, repeated
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


NOBODY = np.zeros(N, bool)
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
    rows = further_wishes(believed, wished, NONE_BEFORE, NOBODY, evenness=evenness, rng=rng)
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
        rows = further_wishes(believed, wished, before, NOBODY, evenness=1.0, rng=rng)
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
        rows = further_wishes(believed, wished, NONE_BEFORE, NOBODY, evenness=0.9, rng=rng)
        assert 0 == len(rows)
    fair = (rng.random(N) < 0.3).astype(np.uint8)
    assert len(further_wishes(believed, fair, NONE_BEFORE, NOBODY, evenness=0.8, rng=rng)) < N / 100


@given(seeds)
def test_who_stands_in_a_register_again_is_wished_for_in_the_first_batch(seed: int) -> None:
    """Several entries of one person would else tell together what one alone does not."""
    rng = np.random.default_rng(seed)
    believed, member = register(rng)
    again = np.zeros(N, bool)
    again[rng.choice(N, 50, replace=False)] = True
    wished = (rng.random(N) < np.where(member, 0.3, 0.01)).astype(np.uint8)
    count = wishes(wished, further_wishes(believed, wished, NONE_BEFORE, again, evenness=0.9, rng=rng))
    assert (count[again] >= 1).all()


def test_membership_is_how_likely_one_of_the_candidates_is_the_partner() -> None:
    """1 - the product of (1 - p); 0 without candidates."""
    outcomes = Outcomes(np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 1.0]))
    found = membership(np.array([0, 0, 2, 3], np.int32), outcomes, 4)
    assert pytest.approx([1 - 0.1 * 0.6, 0.0, 0.5, 0.0]) == found


def test_records_that_share_two_keys_stand_in_a_register_again() -> None:
    """One key is shared by many who have nothing to do with each other; a missing one is shared by nobody."""
    keys = np.arange(1, 19, dtype=np.uint8).reshape(6, 3, 1)
    keys[1, 1:] = keys[0, 1:]  # shares two with 0
    keys[3, 0] = keys[2, 0]  # shares one with 2
    keys[4:, 1:] = 0  # both lack two
    assert [True, True, False, False, False, False] == repeated(keys).tolist()
    assert not repeated(keys[:, :1]).any()
    assert not repeated(keys[:, :0]).any()
    assert (0,) == repeated(keys[:0]).shape
