"""A database that others on the machine can read is refused, as a key file is."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from unveil.errors import StorageError
from unveil.storage.database import Database

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


def begun(folder: Path) -> Path:
    """A database with one entry."""
    path = folder / "unit.sqlite"
    with Database.open(path, role="record unit") as database:
        database.project("flu").append(kind="decision", body=b"d", time=1.0)
    return path


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o602])
def test_a_database_that_others_can_read_or_write_is_refused_with_the_cure(tmp_path: Path, mode: int) -> None:
    """Mode 644 is what a copy made with another tool has."""
    path = begun(tmp_path)
    path.chmod(mode)
    for opening in (partial(Database.open, path, role="record unit"), partial(Database.inspect, path)):
        with pytest.raises(StorageError, match="others on this machine can read it") as refused:
            opening()
        assert f"chmod 600 {path}" == refused.value.hint
    path.chmod(0o600)
    with Database.open(path, role="record unit") as database:
        assert 1 == database.project("flu").head[0]


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_so_is_one_whose_write_ahead_log_they_can_read(tmp_path: Path, ending: str) -> None:
    """It holds the latest entries."""
    path = begun(tmp_path)
    reader = sqlite3.connect(path)
    reader.execute("SELECT count(*) FROM log").fetchall()  # SQLite's other files stay while somebody reads
    beside = path.with_name(path.name + ending)
    beside.chmod(0o644)
    with pytest.raises(StorageError, match="others on this machine can read it") as refused:
        Database.open(path, role="record unit")
    assert f"chmod 600 {beside}" == refused.value.hint
    reader.close()


@pytest.mark.parametrize(("mode", "taken"), [(0o777, False), (0o1777, False), (0o770, False), (0o755, True)])
def test_a_folder_into_which_others_can_put_files_is_refused(tmp_path: Path, mode: int, taken: bool) -> None:  # noqa: FBT001
    """They could lay out a write-ahead log of their own; that they see the names does no harm."""
    folder = tmp_path / "data"
    folder.mkdir()
    path = begun(folder)
    folder.chmod(mode)
    if taken:
        Database.open(path, role="record unit").close()
        return
    with pytest.raises(StorageError, match="others on this machine can put files into this folder") as refused:
        Database.open(path, role="record unit")
    assert f"chmod go-w {folder}" == refused.value.hint


def test_a_new_database_is_private_whatever_the_umask(tmp_path: Path) -> None:
    """Its other files too."""
    before = os.umask(0)
    try:
        with Database.open(tmp_path / "unit.sqlite", role="record unit") as database:
            database.project("flu").append(kind="decision", body=b"d", time=1.0)
            assert {0o600} == {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    finally:
        os.umask(before)


def test_a_link_is_followed_to_the_folder_in_which_the_file_lies(tmp_path: Path) -> None:
    """SQLite puts its other files there."""
    (tmp_path / "open").mkdir()
    path = begun(tmp_path / "open")
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link.sqlite").symlink_to(path)
    with pytest.raises(StorageError, match="can put files into this folder"):
        Database.open(tmp_path / "link.sqlite", role="record unit")
