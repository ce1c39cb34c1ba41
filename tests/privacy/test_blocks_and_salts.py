"""Blocking keys as a graph beside similarities, and records of one salt: what an attacker makes of both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Grouped, View, around, signs, squares
from unveil.privacy.attacks.blocks import Blocks, degrees, sharing
from unveil.privacy.attacks.guesses import Recognised, recognised
from unveil.privacy.attacks.matching import matched
from unveil.privacy.attacks.salt_groups import alike, directions, pairs_by_salt

PEOPLE = 300


def codes(seed: int) -> NDArray[np.int64]:
    """Blocks of about three people."""
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
    blocks = [Blocks(sharing(codes(seed)), sharing(codes(seed)[order]), 2.0**-16) for seed in (1, 2, 3)]
    known = np.stack([np.arange(30), truth[:30]], axis=1)
    weights = matched([nothing], blocks=blocks if with_keys else [], known=known)
    return recognised(weights, truth, known=known)


def test_whole_hashes_and_a_few_known_people_tell_the_others() -> None:
    """The control: who shares keys with whom is a graph, and it unravels from where it is known."""
    assert found(with_keys=True).first > 0.9
    assert found(with_keys=False).first < 0.05


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
