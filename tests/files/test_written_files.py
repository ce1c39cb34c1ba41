"""Writing for people: a file appears whole or not at all, and a spreadsheet runs nothing from it."""

from __future__ import annotations

import csv
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.files.write import plain_id, safe_id, safe_text, write_links, write_rows

FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x"]

IDS = st.text(st.sampled_from("'=-@\t\n") | st.characters())


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as handle:
        return list(csv.reader(handle, strict=True))


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    """A spreadsheet then shows it as text."""
    assert f"'{text}" == safe_text(text)


@pytest.mark.parametrize("text", ["", "ada", "a=b", "1-2", "'x", " =1"])
def test_other_text_stays_as_it_is(text: str) -> None:
    """Names are not to be bent without need."""
    assert text == safe_text(text)


@given(IDS)
def test_a_written_id_can_always_be_told(text: str) -> None:
    """Ids are what results are joined on."""
    assert text == plain_id(safe_id(text))


@given(IDS)
def test_a_written_id_never_begins_like_a_formula(text: str) -> None:
    """Whatever the id."""
    assert not safe_id(text).startswith(tuple("=+-@\t\r\n"))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    rows=st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
            st.floats(0, 1),
        ),
        max_size=10,
    )
)
def test_links_are_read_back_as_written(tmp_path: Path, rows: list[tuple[str, str, float]]) -> None:
    """Quotes, commas and line breaks in ids included; a similarity keeps every digit."""
    assert len(rows) == write_links(tmp_path / "links.csv", rows)
    header, *found = rows_of(tmp_path / "links.csv")
    assert ["record_id_a", "record_id_b", "similarity"] == header
    assert rows == [(plain_id(a), plain_id(b), float(similarity)) for a, b, similarity in found]


def test_only_text_is_made_safe(tmp_path: Path) -> None:
    """A negative number is a number, not a formula."""
    write_links(tmp_path / "l.csv", [("-1", "=b", -0.5, "=c")], more=["note"])
    assert [
        ["record_id_a", "record_id_b", "similarity", "note"],
        ["'-1", "'=b", "-0.5", "'=c"],
    ] == rows_of(tmp_path / "l.csv")


def test_a_row_of_another_length_is_a_defect_and_leaves_no_file(tmp_path: Path) -> None:
    """Half a table is worse than none."""
    with pytest.raises(ValueError, match="zip"):
        write_rows(tmp_path / "x.csv", ["a", "b"], [["1", "2"], ["3"]])
    assert [] == list(tmp_path.iterdir())


def test_a_failure_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """The rows may come from a computation that fails."""

    def rows() -> Iterator[tuple[str, str, float]]:
        yield ("a", "b", 1.0)
        raise KeyboardInterrupt

    path = tmp_path / "links.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_links(path, rows())
    assert "old" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_nothing_and_is_explained(
    tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing may succeed and the disk still refuse."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os if call == "fsync" else Path, call, full)
    with pytest.raises(SettingError, match="No space left"):
        write_links(tmp_path / "links.csv", [("a", "b", 1.0)])
    monkeypatch.undo()
    assert [] == list(tmp_path.iterdir())


def test_the_contents_are_on_disk_before_the_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power cut could leave an empty file under the right name."""
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(handle: int) -> None:
        done.append("sync")
        fsync(handle)

    def noted_replace(old: Path, new: Path) -> Path:
        done.append("rename")
        return replace(old, new)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    write_links(tmp_path / "links.csv", [])
    assert ["sync", "rename", "sync"] == done


def test_a_written_file_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    """It holds record ids or encodings."""
    write_links(tmp_path / "links.csv", [])
    assert 0o600 == stat.S_IMODE((tmp_path / "links.csv").stat().st_mode)


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    """Also when it appears during the work."""
    path = tmp_path / "links.csv"
    path.write_text("old")
    with pytest.raises(SettingError, match="exists already"):
        write_links(path, [], overwrite=False)
    path.unlink()
    with pytest.raises(SettingError, match="exists already"), replacing(path, overwrite=False):
        path.write_text("meanwhile")
    assert "meanwhile" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_a_file_system_without_hard_links_is_written_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory sticks and some network drives have none."""

    def refused(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    write_links(tmp_path / "links.csv", [("a", "b", 1.0)], overwrite=False)
    assert 2 == len(rows_of(tmp_path / "links.csv"))
    assert [tmp_path / "links.csv"] == list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    """Before any work is done for it."""
    with pytest.raises(SettingError, match="does not exist"):
        write_links(tmp_path / "none" / "links.csv", [])
    with pytest.raises(SettingError, match="is a directory"):
        write_links(tmp_path, [])
