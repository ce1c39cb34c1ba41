"""`unveil join`: a research centre's key, owners' parts, and every way in which they do not fit."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command_line import unveil

from unveil.joining.join_keys import halves, wrapped
from unveil.joining.join_part import JoinPart
from unveil.joining.sealed_pairs import Place, seal, table_rows
from unveil.joining.sealed_quality import seal_quality
from unveil.joining.terms import public_key_of
from unveil.linkage.estimate import Estimate
from unveil.projects.project_file import load_draft
from unveil.runtime.joining import write_part

SECRET, RUN = b"s" * 32, b"r" * 32
ESTIMATE = Estimate((0.9, 0.95, 1.0), (0.7, 0.8, 0.9), (0.8, 0.87, 0.95), trusted=True)
PAIRS = [(bytes([1]) * 16, bytes([2]) * 16)]


def parts(folder: Path, keys: tuple[bytes, bytes]) -> list[Path]:
    """Both owners' parts."""
    paths = []
    for key, owner in zip(keys, ("a", "b"), strict=True):
        place = Place("fp", RUN, owner)
        sealed = b"".join(seal(PAIRS, table_rows(5, one_to_one=True), SECRET, place))
        quality = seal_quality(ESTIMATE, SECRET, place)
        paths.append(folder / f"{owner}.join")
        part = JoinPart("flu", "fp", owner, ("a", "b"), RUN, 5, True, key, quality, sealed)
        write_part(paths[-1], part, overwrite=False)
        assert 0o600 == stat.S_IMODE(paths[-1].stat().st_mode), "it is half of a key"
    return paths


@pytest.fixture
def centre(tmp_path: Path) -> tuple[Path, bytes]:
    """A research centre's private key file, and the public key."""
    done = unveil("join", "key", tmp_path / "centre.key", "--json")
    return tmp_path / "centre.key", public_key_of(json.loads(done.stdout)["public_key"])


def test_owners_join_together_as_csv_or_parquet(tmp_path: Path) -> None:
    """Pairs of link ids, each owner's in its column."""
    both = parts(tmp_path, halves(SECRET, b"h" * 32))
    done = unveil("join", "pairs", *both, "--out", tmp_path / "pairs.csv")
    assert 0 == done.returncode
    first, second, third, *_ = done.stdout.splitlines()
    assert f"1 pairs of link ids written to {tmp_path / 'pairs.csv'}" == first
    assert ("1 links", "precision 0.950, between 0.900 and 1.000 by the units' own estimate") == (second, third)
    figures = {"precision": [0.9, 0.95, 1.0], "recall": [0.7, 0.8, 0.9], "f1": [0.8, 0.87, 0.95]}
    quality = {"links": 1, "links_off_by": 0, "trusted": True, **figures}
    assert quality == json.loads((tmp_path / "pairs.quality.json").read_text())
    lines = (tmp_path / "pairs.csv").read_text().splitlines()
    assert ['"link_id_a","link_id_b"', f'"{"01" * 16}","{"02" * 16}"'] == lines
    assert 1 == unveil("join", "pairs", *both, "--out", tmp_path / "pairs.csv").returncode, "not replaced unasked"
    parquet, beside = tmp_path / "again.parquet", tmp_path / "again.quality.json"
    done = unveil("join", "pairs", *both[::-1], "--out", parquet, "--json")
    told = {"file": str(beside), **quality}
    expected = {"project": "flu", "owners": ["a", "b"], "pairs": 1, "file": str(parquet), "quality": told}
    assert expected == json.loads(done.stdout)
    assert [{"link_id_a": "01" * 16, "link_id_b": "02" * 16}] == pq.read_table(parquet).to_pylist()


def test_a_research_centre_joins_with_its_key(tmp_path: Path, centre: tuple[Path, bytes]) -> None:
    """From either owner's part, or both."""
    key, public = centre
    assert 0o600 == stat.S_IMODE(key.stat().st_mode)
    box = wrapped(SECRET, public, b"o" * 32, place=Place("fp", RUN, "").of_run())
    both = parts(tmp_path, (box, box))
    for some in (both, both[:1], both[1:]):
        done = unveil("join", "pairs", *some, "--key", key, "--out", tmp_path / "pairs.csv", "--force")
        assert 0 == done.returncode, done.stderr
    done = unveil("join", "pairs", *both, "--out", tmp_path / "no.csv")
    assert (1, True) == (done.returncode, "give its private key: --key" in done.stderr)
    unveil("join", "key", tmp_path / "other.key")
    done = unveil("join", "pairs", *both, "--key", tmp_path / "other.key", "--out", tmp_path / "no.csv")
    assert (1, True) == (done.returncode, "not the one that the project names" in done.stderr)


def test_files_that_are_something_else_are_named(tmp_path: Path, centre: tuple[Path, bytes]) -> None:
    """And say nothing about what they hold."""
    one, other = parts(tmp_path, halves(SECRET, b"h" * 32))
    (tmp_path / "short.join").write_bytes(other.read_bytes()[:-1])
    (tmp_path / "text").write_text("SECRET")
    cases: dict[str, list[Path | str]] = {
        "is no part to join": [one, tmp_path / "text"],
        "is damaged": [one, tmp_path / "short.join"],
        "cannot be read": [one, tmp_path / "none"],
        "the part of b is missing": [one],
        "both parts are a's": [one, one],
        "leave --key out": [one, other, "--key", centre[0]],
        "is not a key for joining": [one, other, "--key", tmp_path / "text"],
    }
    (tmp_path / "text").chmod(0o600)
    for why, words in cases.items():
        done = unveil("join", "pairs", *words, "--out", tmp_path / "no.csv")
        assert (1, True) == (done.returncode, why in done.stderr), done.stderr
        assert "SECRET" not in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "no.csv").exists()
    centre[0].chmod(0o644)
    done = unveil("join", "pairs", one, "--key", centre[0], "--out", tmp_path / "no.csv")
    assert "others on this machine can read it" in done.stderr
    assert "exists already" in unveil("join", "key", centre[0]).stderr


def test_a_project_names_its_research_centre(tmp_path: Path) -> None:
    """By the public key, which is shown with the terms and is in the fingerprint."""
    path, text = tmp_path / "p.toml", json.loads(unveil("join", "key", tmp_path / "k", "--json").stdout)["public_key"]
    words = ("--name", "flu", "--join", "research-centre", "--join-key", text)
    assert 0 == unveil("project", "new", path, *words).returncode
    assert (text, "research-centre") == (load_draft(path).links.public_key, load_draft(path).links.join)
    assert f"joined by    a research centre with key {text}; each person once" in unveil("project", "show", path).stdout
    done = unveil("project", "new", tmp_path / "q.toml", "--name", "flu", "--join", "research-centre")
    assert "nobody could join the link tables" in done.stderr
