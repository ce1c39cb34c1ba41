"""Blocking keys as a graph beside similarities, and records of one salt: what an attacker makes of both."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unveil.privacy.attacks.agreement import Grouped, View, around, signs, squares
from unveil.privacy.attacks.blocks import KeyGraphs, degrees, sharing
from unveil.privacy.attacks.guesses import Recognised, recognised, recognised_among_few
from unveil.privacy.attacks.key_patterns import told_apart
from unveil.privacy.attacks.matching import matched
from unveil.privacy.attacks.salt_groups import alike, directions, pairs_by_salt
from unveil.privacy.attacks.spreading import spread, started

PEOPLE = 300


def codes(seed: int) -> NDArray[np.int64]:
    """KeyGraphs of about three people."""
    return np.random.default_rng(seed).integers(0, PEOPLE // 3, PEOPLE)


def test_two_share_a_block_if_their_codes_are_equal_and_none_is_missing() -> None:
    """Nobody shares a block with themselves."""
    expected = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert expected == sharing(np.array([4, 4, -1, -1])).toarray().tolist()
    assert 0 == sharing(np.array([-1, -1])).nnz


def test_numbers_of_neighbours_tell_the_same_in_any_order() -> None:
    """Of two graphs: own numbers, and those of neighbours in each."""
    order = np.random.default_rng(3).permutation(PEOPLE)
    told, turned = (degrees([sharing(codes(seed)[rows]) for seed in (1, 2)]) for rows in (np.arange(PEOPLE), order))
    assert (PEOPLE, 6) == told.shape
    assert np.allclose(told[order], turned)


def found(*, with_keys: bool) -> Recognised:
    """Filters of nothing but chance beside three keys, of some people known: only keys can tell the others."""
    rng = np.random.default_rng(4)
    order = rng.permutation(PEOPLE)
    truth = np.argsort(order)
    nothing = View(
        signs(rng.integers(0, 2, (PEOPLE, 64)).astype(np.uint8)), np.zeros((PEOPLE, PEOPLE), np.float32), 1 / 64
    )
    blocks = [KeyGraphs(sharing(codes(seed)), sharing(codes(seed)[order]), 2.0**-16) for seed in (1, 2, 3)]
    known = np.stack([np.arange(30), truth[:30]], axis=1)
    weights = matched([nothing], blocks=blocks if with_keys else [], known=known)
    return recognised(weights, truth, known=known)


def test_whole_hashes_and_a_few_known_people_tell_the_others() -> None:
    """The control: who shares keys with whom is a graph, and it unravels from where it is known."""
    assert found(with_keys=True).first > 0.9
    assert found(with_keys=False).first < 0.05


@pytest.mark.parametrize("known", [30, 0])
def test_whoever_is_found_leads_to_others(known: int) -> None:
    """From a few who are known most follow, one shared key after the other; from nobody nothing does."""
    order = np.random.default_rng(4).permutation(PEOPLE)
    truth = np.argsort(order)
    bits = np.random.default_rng(8).integers(0, 2, (PEOPLE, 64)).astype(np.uint8)
    nothing = View(signs(bits), np.zeros((PEOPLE, PEOPLE), np.float32), 1 / 64)
    blocks = [KeyGraphs(sharing(codes(seed)), sharing(codes(seed)[order]), 2.0**-16) for seed in (1, 2, 3)]
    pairs = np.stack([np.arange(known), truth[:known]], axis=1)
    led = spread([nothing], blocks, started(pairs, (PEOPLE, PEOPLE), 1.0), sure=True)
    found = recognised_among_few(led, truth, known=pairs)
    assert (found.first > 0.8) == bool(known)
    assert (found.first == 0.0) == (not known)


def test_whom_no_shared_key_leads_to_is_not_found() -> None:
    """Also of filters whose agreements are kept by groups, and where nobody is reached at all."""
    truth = np.arange(6)
    alone = KeyGraphs(sharing(np.arange(6)), sharing(np.arange(6)), 2.0**-16)
    view = View(np.ones((6, 4), np.float32), Grouped.of(6, [np.array([0, 1])], [np.zeros((2, 2), np.float32)]), 0.25)
    pairs = np.array([[0, 0]])
    led = spread([view], [alone], started(pairs, (6, 6), 1.0), sure=True)
    assert 0.0 == recognised_among_few(led, truth, known=pairs).ten


def test_among_few_weights_those_that_are_nothing_find_nobody() -> None:
    """Otherwise whoever weighs nobody would find whoever comes first."""
    weights = csr_array(np.array([[0, 0.5, 0], [0.4, 0.4, 0], [0, 0, 0]], np.float32))
    nobody = np.empty((0, 2), np.int64)
    assert Recognised(3, 1 / 3, 2 / 3) == recognised_among_few(weights, np.array([1, 0, 2]), known=nobody)
    assert Recognised(2, 0.0, 0.5) == recognised_among_few(weights, np.array([1, 0, 2]), known=np.array([[0, 1]]))
    assert Recognised(0, 0.0, 0.0) == recognised_among_few(weights, np.array([-1, -1, -1]), known=nobody)


def test_colours_that_one_has_on_either_side_are_a_pair() -> None:
    """Those that two have on one side tell nobody."""
    seen, register = (np.array(each, np.uint64) for each in ([5, 7, 7, 9], [9, 8, 5, 7]))
    assert [[0, 2], [3, 0]] == told_apart(seen, register).tolist()


def test_agreements_within_groups_are_those_of_the_whole_matrix() -> None:
    """Kept apart they are the same, and take a fraction of the time."""
    rng = np.random.default_rng(5)
    groups = [np.array([0, 3, 4]), np.array([1, 5])]
    within = [rng.random((len(group), len(group)), np.float32) for group in groups]
    apart = Grouped.of(6, groups, within)
    whole = apart.sparse.toarray()
    assert np.allclose(whole[np.ix_(groups[0], groups[0])], within[0])
    filters, held = rng.random((6, 7), np.float32), rng.random(6, np.float32)
    assert np.allclose(around(whole, filters), around(apart, filters))
    assert np.allclose(squares(whole, held), squares(apart, held))
    assert (4, 4) == Grouped.of(4, [], []).shape


def salted(bias: float) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Bits of 3,000 records of ten salts, each bit leaning to the side that its salt draws."""
    rng = np.random.default_rng(6)
    salts = rng.integers(0, 10, 3_000)
    leaning = rng.choice([-1, 1], (10, 128))[salts]
    return np.where(rng.random((3_000, 128)) < 0.5 + bias / 2, leaning, -leaning).astype(np.float32), salts


def test_random_bits_have_no_directions() -> None:
    """Nothing stands out of chance where there is nothing."""
    assert 0 == directions(salted(0.0)[0]).shape[1]


def test_directions_of_salts_tell_who_has_the_same() -> None:
    """Better than all bits do: most of these are noise."""
    bits, salts = salted(0.3)
    found = directions(bits)
    assert 9 <= found.shape[1] <= 12
    same, others = pairs_by_salt(salts, np.random.default_rng(7), count=2_000)
    assert (salts[same[:, 0]] == salts[same[:, 1]]).all()
    assert (salts[others[:, 0]] != salts[others[:, 1]]).all()
    apart = [np.mean(alike(bits, same, turned)) - np.mean(alike(bits, others, turned)) for turned in (None, found)]
    assert 0 < apart[0] < apart[1]
