"""What the record unit need not compute again after a restart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from small_unit import PROJECT, A, B, agree, host, people, project, upload
from unveil.errors import Cancelled
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded, OnShare
from unveil.linkage.pairs import ByKeys, Comparison, Pairs, Tail
from unveil.runtime.assemble import cache_folder
from unveil.runtime.comparison_cache import ComparisonCache
from unveil.storage.cache import Cache
from unveil.storage.database import Database


class Counting:
    """Compares and makes evidence, and counts how often."""

    def __init__(self, near: np.ndarray | None = None, tail: Tail | None = None) -> None:
        self.compared = self.made = 0
        self._near, self._tail = near, tail

    def compare(self, left: Encoded, right: Encoded, /, *, share: OnShare = lambda _: None) -> Comparison:
        self.compared += 1
        for done in (0.0, 0.5, 1.0):
            share(done)
        rows = np.arange(min(len(left.filters), len(right.filters)), dtype=np.int32)
        return Comparison(Pairs(rows, rows[::-1].copy(), rows / 10), 7, 1, self._near, self._tail)

    def features(self, comparison: Comparison, left: Encoded, right: Encoded) -> np.ndarray:
        del left, right
        self.made += 1
        return comparison.pairs.similarity * 2


def side(seed: int) -> Encoded:
    rng = np.random.default_rng(seed)
    return Encoded(Bits(rng.integers(0, 1 << 60, (5, 2), np.uint64), 128), rng.integers(0, 255, (5, 1, 16), np.uint8))


def twice(folder: Path, counting: Counting, *, settings: str = "s", left: Encoded | None = None) -> Comparison:
    """A comparison and its evidence, asked for by a unit that starts."""
    cached = ComparisonCache(Cache(folder), counting.compare, counting.features, settings=settings)
    sides = left or side(1), side(2)
    found = cached.comparison(*sides)
    assert (found.pairs.similarity * 2).tolist() == cached.features(found, *sides).tolist()
    again = cached.comparison(*sides)
    assert found.pairs.left.tolist() == again.pairs.left.tolist()
    return again


def test_a_restart_compares_nothing_anew(tmp_path: Path) -> None:
    """The same records under the same settings; others are compared."""
    counting = Counting()
    first = twice(tmp_path, counting)
    second = twice(tmp_path, counting)
    assert (1, 1) == (counting.compared, counting.made)
    assert (7, 1) == (second.compared, second.skipped_blocks)
    assert first.pairs.right.tolist() == second.pairs.right.tolist()
    twice(tmp_path, counting, settings="another floor")
    twice(tmp_path, counting, left=side(3))
    assert (3, 3) == (counting.compared, counting.made)


@pytest.mark.parametrize("near", [None, np.array([True, False, True, False, False])])
def test_neighbours_are_kept_with_their_pairs(tmp_path: Path, near: np.ndarray | None) -> None:
    """After a restart as before it; where none were looked for, none are found."""
    for _ in range(2):
        found = twice(tmp_path, Counting(near)).near
        assert (near is None) == (found is None)
        assert found is None or near is None or (near.dtype, near.tolist()) == (found.dtype, found.tolist())


@pytest.mark.parametrize("near", [None, np.array([True, False, True, False, False])])
def test_the_tail_of_strangers_is_kept_bit_for_bit(tmp_path: Path, near: np.ndarray | None) -> None:
    """Odds that follow from it are the same after a restart as before it; with neighbours or without."""
    rng = np.random.default_rng(1)
    by_keys = ByKeys(rng.random((5, 201)) * 7, rng.random((2, 5, 201)) / 7)
    tail = Tail(float(rng.random()), rng.random(201) * 1e9, rng.random((2, 201)) / 3, rng.random(2) * np.pi, by_keys)
    for counting in (Counting(near, tail), Counting()):
        found = twice(tmp_path, counting)
        assert found.tail is not None
        assert (tail.middle, near is None) == (found.tail.middle, found.near is None)
        for name in ("across", "at_home", "worth"):
            kept, expected = getattr(found.tail, name), getattr(tail, name)
            assert (expected.dtype, expected.shape, expected.tobytes()) == (kept.dtype, kept.shape, kept.tobytes())
        assert found.tail.by_keys is not None
        assert by_keys.across.tobytes() == found.tail.by_keys.across.tobytes()
        assert by_keys.at_home.tobytes() == found.tail.by_keys.at_home.tobytes()
    assert 0 == counting.compared
    assert twice(tmp_path, Counting(), settings="none was looked for").tail is None


def test_what_was_computed_with_another_prior_is_computed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evidence is what the shipped tables say of it: an update that changes them must not find the old one."""
    folder, kept = cache_folder(tmp_path, PROJECT), set[str]()
    for prior, new in (("one", True), ("one", False), ("another", True)):
        monkeypatch.setattr("unveil.models.priors.prior_digest", lambda name, prior=prior: f"{prior} for {name}")
        with Database.open(tmp_path / f"{prior}{new}.sqlite", role="record unit") as database:
            unit = host(database, tmp_path, project())
            agree(unit)
            for seed, sender in enumerate((A, B)):
                upload(unit, sender, people(seed, 20))
            unit.advance()
        found = {path.name for path in folder.iterdir()}
        assert new == (found > kept)
        assert kept <= found
        kept = found


def test_another_engine_finds_what_was_compared_and_comes_to_the_same(tmp_path: Path) -> None:
    """Its name is no part of what a result is kept by: engines agree bit for bit."""
    outcomes, kept = [], set[str]()
    for data, engine in (("one", "cpu"), ("one", "reference"), ("other", "reference")):
        with Database.open(tmp_path / f"{data}-{engine}.sqlite", role="record unit") as database:
            unit = host(database, tmp_path / data, project(), engine=engine)
            agree(unit)
            for sender in (A, B):
                upload(unit, sender, people(1, 20))
            unit.advance()
            layer = unit.look(lambda machine: machine.layer)
            outcomes.append((layer.g.tolist(), layer.p.tolist(), layer.asked.tolist()))
        found = {path.name for path in cache_folder(tmp_path / data, PROJECT).iterdir()}
        assert found == (kept or found)
        kept = found
    assert len(outcomes[0][0]) > 0
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_a_disk_that_takes_nothing_costs_a_restart_its_memory_and_no_more(tmp_path: Path) -> None:
    """Long work is done once although it cannot be kept."""
    counting = Counting()
    (tmp_path / "a file").write_text("where a folder should be")
    twice(tmp_path / "a file", counting)
    assert (1, 1) == (counting.compared, counting.made)
    twice(tmp_path / "a file", counting)
    assert (2, 2) == (counting.compared, counting.made)


def test_a_damaged_file_is_computed_anew(tmp_path: Path) -> None:
    """A result is never taken from what cannot be trusted."""
    counting = Counting()
    twice(tmp_path, counting)
    for path in tmp_path.iterdir():
        data = bytearray(path.read_bytes())
        data[-64] ^= 1  # the last array begins there; what follows it is padding
        path.write_bytes(data)
    twice(tmp_path, counting)
    assert (2, 2) == (counting.compared, counting.made)


def test_whoever_waits_sees_how_far_it_is_and_that_a_known_result_is_there_at_once(tmp_path: Path) -> None:
    """The shares of the comparison are passed on; one that is known is done when it is found."""
    counting = Counting()
    for expected in ([0.0, 0.0, 0.5, 1.0], [0.0, 1.0]):
        cached = ComparisonCache(Cache(tmp_path), counting.compare, counting.features, settings="s")
        seen: list[float] = []
        cached.comparison(side(1), side(2), share=seen.append)
        assert expected == seen


def test_a_comparison_that_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    """Half a result must never be taken for a whole one."""
    counting = Counting()
    cached = ComparisonCache(Cache(tmp_path), counting.compare, counting.features, settings="s")

    def cancel(share: float) -> None:
        if share > 0:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        cached.comparison(side(1), side(2), share=cancel)
    assert [] == list(tmp_path.iterdir())
    twice(tmp_path, counting)
    assert (2, 1) == (counting.compared, counting.made)


def test_long_columns_are_looked_at_in_their_file(tmp_path: Path) -> None:
    """So that a unit holds its records in memory, and not what it found besides; the bytes are the same."""
    counting = Counting()
    expected = ComparisonCache(Cache(tmp_path / "a"), counting.compare, counting.features, settings="s")
    cached = ComparisonCache(Cache(tmp_path / "b"), counting.compare, counting.features, settings="s", memory=8)
    sides = side(1), side(2)
    (held, of_held), (lying, of_lying) = (
        (found := each.comparison(*sides), each.features(found, *sides)) for each in (expected, cached)
    )
    for column in ("left", "right", "similarity"):
        assert getattr(held.pairs, column).tobytes() == getattr(lying.pairs, column).tobytes()
        assert not getattr(lying.pairs, column).flags.owndata
    assert of_held.tobytes() == of_lying.tobytes()
    assert (of_held.flags.writeable, of_lying.flags.writeable) == (True, False)
