"""No value is lost without a word: however a register writes it, encodings are the same or its column is warned of."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from silent_loss import CASES, SAME, Case, Row, changed, people

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.planning import proposal
from unveil.encoding.planning.profile_differences import profile_differences
from unveil.files.reading import Reading
from unveil.one_place.two_tables import NamedTable, TwoTables, read_two
from unveil.runtime.owner.file_check import check_file
from unveil.schema import BlockingKey, Schema

DOCS = Path(__file__).parents[2] / "docs" / "files.md"
KEY = OwnerKey(bytes(32))


@cache
def original() -> list[Row]:
    return people()


def save(path: Path, rows: list[Row], codec: str) -> Path:
    with path.open("w", encoding=codec, newline="") as file:
        writer = csv.DictWriter(file, ["record_id", *(name for name in rows[0] if name != "record_id")], delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    return path


def files(folder: Path, case: Case) -> tuple[Path, Path]:
    rows = original()
    return save(folder / "a.csv", rows, "utf-8"), save(folder / "b.csv", changed(rows, case), case.codec)


def same_encodings(found: TwoTables) -> float:
    """The share of the people whose filters and blocking keys are the same in both files."""
    encoder = Encoder(found.schema, KEY, project="p")
    one, other = (encoder.record_level(side) for side in found.records)
    keys = [encoder.blocking_keys(side) for side in found.records]
    rows = (np.asarray(one) == np.asarray(other)).all(axis=1)
    return float((rows & _equal_keys(keys[0], keys[1])).mean())


def _equal_keys(one: object, other: object) -> np.ndarray:
    left, right = np.asarray(one), np.asarray(other)
    return (left == right).reshape(len(left), -1).all(axis=1)


def warned(paths: tuple[Path, Path], found: TwoTables) -> set[str]:
    """The columns that are warned of as the files are read, or as one is checked against the other's profile."""
    ours, theirs = (check_file(path, Reading(), found.schema)[0] for path in paths)
    by_read = [re.search(r"column ([\w ]+):", sentence) for sentence in found.warnings]
    columns = {match[1] for match in by_read if match}
    for side in (ours, theirs):
        columns |= {one.column for one in side.columns if one.warnings}
    columns |= {one.attribute for one in profile_differences(ours, theirs) if one.is_warning}
    return columns


@pytest.fixture
def fixed_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocking keys of a kind instead of the best ones, which take most of the time of a proposal."""

    def keys(_: object, __: object, schema: Schema, ___: object) -> tuple[BlockingKey, ...]:
        return (BlockingKey(fields=schema.names[:2]), *(BlockingKey(fields=(name,)) for name in schema.names))

    monkeypatch.setattr(proposal, "proposed_keys", keys)


@pytest.mark.usefixtures("fixed_keys")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_encodings_are_the_same_or_the_column_is_warned_of(tmp_path: Path, case: Case) -> None:
    """What does not match is never seen: nobody further on can tell it from people who are in one register alone."""
    paths = files(tmp_path, case)
    found = read_two(NamedTable(paths[0], "a"), NamedTable(paths[1], "b"))
    if case.outcome == SAME:
        assert 1.0 == same_encodings(found)
        assert case.column not in warned(paths, found), "a warning without a loss is soon overlooked"
    else:
        assert case.column in warned(paths, found)


def test_there_are_thirty_cases_and_the_page_shows_each_with_its_outcome() -> None:
    """What stands on the page is what is tested."""
    assert len(CASES) >= 30
    rows = re.findall(
        r"^\| (.+?) \| (the same encodings|a warning that names the column) \|$", DOCS.read_text(), re.MULTILINE
    )
    assert [(case.words, case.outcome) for case in CASES] == rows
