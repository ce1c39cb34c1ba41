"""Files of a generated population, and the same seed giving the same bytes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from unveil.lab.synthetic import generate, write
from unveil.lab.synthetic.population import streams

HEADER = "record_id,first_name,middle_name,last_name,year_of_birth,city,zip,place_of_birth"


def saved(folder: Path, *, seed: int) -> dict[str, bytes]:
    write(generate(records=400, seed=seed), folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """A result can be repeated by anyone who knows the arguments."""
    assert saved(tmp_path / "one", seed=1) == saved(tmp_path / "two", seed=1)


def test_other_seed_gives_other_people(tmp_path: Path) -> None:
    """Runs over several seeds would otherwise prove nothing."""
    one, two = saved(tmp_path / "one", seed=1), saved(tmp_path / "two", seed=2)
    assert all(one[name] != two[name] for name in ("a.csv", "b.csv", "truth.csv"))


def test_stages_draw_from_streams_of_their_own() -> None:
    """A draw more in one stage must not shift another."""
    drawn = [rng.integers(0, 2**63) for rng in streams(1).values()]
    assert len(drawn) == len(set(drawn))
    used, fresh = streams(1), streams(1)
    used["households"].random(1000)
    assert fresh["shuffle"].random() == used["shuffle"].random()


def test_files_have_the_published_layout(tmp_path: Path) -> None:
    """Readers of the evaluation sets read these files too."""
    population = generate(records=50, seed=2)
    write(population, tmp_path)
    for source, records in (("a", population.a), ("b", population.b)):
        lines = (tmp_path / f"{source}.csv").read_text(encoding="utf-8").splitlines()
        assert HEADER == lines[0]
        read = [row[1:] for row in csv.reader(lines[1:])]
        assert [list(row) for row in zip(*(c.values() for c in records.columns.values()), strict=True)] == read
    lines = (tmp_path / "truth.csv").read_text(encoding="utf-8").splitlines()
    assert "record_id_a,record_id_b" == lines[0]
    assert [[f"a{a:05d}", f"b{b:05d}"] for a, b in population.truth.tolist()] == list(csv.reader(lines[1:]))


def test_write_that_fails_leaves_nothing_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader never meets a file that stops in the middle."""
    population = generate(records=20, seed=3)
    calls = []

    def full_disk(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write(population, tmp_path)
    assert [] == list(tmp_path.iterdir())


def test_reprs_show_counts_and_no_values() -> None:
    """Even generated values stay out of logs, so that nobody copies the habit."""
    population = generate(records=30, seed=4)
    assert "Registers(<30 and 30 records, 6 shared people>)" == repr(population)
    assert np.all([name not in repr(population.a) for name in population.a.columns["last_name"].distinct])
