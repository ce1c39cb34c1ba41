"""How often strangers are how alike is counted within each register, and stands for as many as there are across."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage import strangers as module
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded, Neighbours, comparing
from unveil.linkage.neighbours import at_random, strangers
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import STEPS, Comparison, Pairs, Tail
from unveil.linkage.strangers import tail_of

ENGINE = ReferenceEngine()
MANY = 1_000_000
SAMPLE = 20_000  # records paired at random tell the middle
seeds = st.integers(0, 2**32 - 1)


def filters(count: int, seed: int, words: int = 4) -> Bits:
    """Filters of which some are near copies of others, so that any similarity occurs."""
    rng = np.random.default_rng([seed, count])
    drawn = rng.integers(0, 2**64, (2, count, words), dtype=np.uint64)
    found = drawn[0] & drawn[1]
    if count > 2:
        flips = rng.integers(0, 2**64, (6, count // 3, words), dtype=np.uint64)
        found[: count // 3] = found[count // 3 : 2 * (count // 3)] ^ np.bitwise_and.reduce(flips)
    return Bits(found, 64 * words)


def alike(one: np.ndarray, other: np.ndarray) -> float:
    """Dice of two filters, from the definition."""
    ones = sum(int(word).bit_count() for row in (one, other) for word in row)
    common = sum((int(x) & int(y)).bit_count() for x, y in zip(one, other, strict=True))
    return 2 * common / ones if ones else 0.0


def reaching(similarities: list[float], middle: float) -> list[int]:
    """How many reach each step: steps go evenly from pairs at random to equal filters."""
    steps = [max(0, min(STEPS, int((one - middle) / (1 - middle) * STEPS))) for one in similarities]
    return [sum(one >= step for one in steps) for step in range(STEPS + 1)]


def tail_from(a: Bits, b: Bits, floor: float) -> Tail:
    """The tail, with what is found across the owners."""
    found = Pairs.concatenate(ENGINE.all_pairs(a, b, floor=floor)).similarity
    return tail_of(ENGINE.all_pairs, a, b, found, floor=floor)


@given(st.integers(2, 12), st.integers(2, 12), seeds, st.floats(0.0, 0.8))
@settings(max_examples=30)
def test_pairs_within_a_register_are_counted_as_a_plain_search_finds_them(n: int, m: int, seed: int, up: float) -> None:
    """Every record with every other one but itself; each pair stands for as many as there are more of them across."""
    a, b = filters(n, seed), filters(m, seed + 1)
    middle = float(np.median(strangers(a, b, SAMPLE)))
    tail = tail_from(a, b, middle + up * (1 - middle))
    assert middle == tail.middle
    across = [alike(x, y) for x in a.words for y in b.words]
    kept = [one for one in across if one >= middle + up * (1 - middle)]
    assert reaching(kept, middle) == tail.across.tolist()
    for side, found, worth in zip((a, b), tail.at_home, tail.worth, strict=True):
        table = np.array([[alike(x, y) for y in side.words] for x in side.words])
        left, right = at_random(side, side, SAMPLE)
        home = float(np.median(table[left, right][left != right]))
        pairs = [table[i, j] for i in range(len(side)) for j in range(len(side)) if i != j]
        inside = [one for one in pairs if one >= min(1.0, max(0.0, home + up * (1 - home)))]
        assert n * m / len(pairs) == pytest.approx(worth)
        np.testing.assert_allclose(n * m / len(pairs) * np.array(reaching(inside, home)), found)


@pytest.mark.parametrize("sizes", [(600, 300), (300, 600)])
def test_where_nobody_is_shared_as_many_are_alike_across_as_at_home(sizes: tuple[int, int]) -> None:
    """Within what chance leaves, whichever register is the larger."""
    rng = np.random.default_rng(5)
    common = rng.integers(0, 2**64, (2, 1, 4), dtype=np.uint64)
    a, b = (
        Bits(np.bitwise_or(*(rng.integers(0, 2**64, (2, n, 4), dtype=np.uint64))) & common[0] | common[1], 256)
        for n in sizes
    )
    tail = tail_from(a, b, tail_from(a, b, 0.0).middle)
    some = tail.across > 3000
    assert some.sum() > 10
    for home in tail.at_home:
        np.testing.assert_allclose(home[some], tail.across[some], rtol=0.25)


def test_a_register_that_is_sampled_tells_about_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of the records compared with all: of pairs that chance leaves many of, as many within a tenth."""
    a, b = filters(900, 3), filters(700, 4)
    whole = tail_from(a, b, 0.3)
    monkeypatch.setattr(module, "_MOST_COMPARED", 700 * 180)
    some = tail_from(a, b, 0.3)
    assert [900 * 700 / (140 * 899), 900 * 700 / (180 * 699)] == pytest.approx(some.worth.tolist())
    np.testing.assert_array_equal(whole.across, some.across)
    for at in range(2):
        many = whole.at_home[at] > 5000
        assert many.sum() > 20
        np.testing.assert_allclose(some.at_home[at][many], whole.at_home[at][many], rtol=0.1)
        assert not np.array_equal(some.at_home[at], whole.at_home[at])


@pytest.mark.parametrize("sizes", [(1, 5), (5, 1), (1, 1), (2, 1)])
def test_of_a_register_of_one_record_nothing_is_counted(sizes: tuple[int, int]) -> None:
    """It has no two people; the other register is counted as ever."""
    a, b = (filters(n, 7) for n in sizes)
    tail = tail_from(a, b, 0.0)
    for n, found in zip(sizes, tail.at_home, strict=True):
        assert (n > 1) == bool(found.any())
    assert np.isfinite(tail.worth).all()
    assert sizes[0] * sizes[1] == tail.across[0]


def test_the_lowest_step_is_the_one_from_which_on_pairs_were_counted() -> None:
    """Below it nothing is known: as many reach any of those steps."""
    counts = np.maximum(0.0, np.minimum(90.0, 100.0 - np.arange(STEPS + 1)))
    assert 10 == Tail(0.2, counts, counts[None], np.ones(1)).lowest


def encoded(count: int, seed: int, keys: int) -> Encoded:
    rng = np.random.default_rng(seed)
    return Encoded(filters(count, seed), rng.integers(0, 3, (count, keys, 16), dtype=np.uint8))


def compared(sizes: tuple[int, int], keys: int, neighbours: Neighbours) -> Comparison:
    sides = [encoded(n, seed, keys) for seed, n in enumerate(sizes)]
    return comparing(ENGINE, floor=0.3, max_block=MANY, neighbours=neighbours)(*sides)


@pytest.mark.parametrize("keys", [0, 2])
def test_a_comparison_that_looks_for_neighbours_tells_of_strangers_too(keys: int) -> None:
    """As found among all pairs, not only among the candidates; the published protocol has no use for it."""
    found = compared((40, 30), keys, Neighbours(2, MANY)).tail
    a, b = (encoded(n, seed, keys).filters for seed, n in enumerate((40, 30)))
    expected: Reals = tail_from(a, b, 0.3).across
    assert found is not None
    np.testing.assert_array_equal(expected, found.across)
    assert compared((40, 30), keys, Neighbours()).tail is None


@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (5, 0)])
@pytest.mark.parametrize("keys", [0, 2])
def test_an_owner_without_records_has_no_strangers(sizes: tuple[int, int], keys: int) -> None:
    """Nothing is counted, and nothing breaks."""
    found = compared(sizes, keys, Neighbours(5, MANY)).tail
    assert found is None or (found.across == 0).all()
