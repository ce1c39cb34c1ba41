"""Columns that lie on the disk: in nobody's sight, and only where there is place for them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from unveil.errors import StorageError
from unveil.storage.columns_on_disk import ColumnsOnDisk


def test_a_column_is_there_and_its_file_has_no_name(tmp_path: Path) -> None:
    """Similarities are nothing to leave behind, whenever the process ends."""
    room = ColumnsOnDisk(tmp_path / "columns")
    column = room.empty(1000, np.float64)
    column[:] = np.arange(1000)
    assert [] == list((tmp_path / "columns").iterdir())
    assert np.arange(1000.0).tolist() == column.tolist()
    assert 0 == len(room.empty(0, np.int32))


def test_a_folder_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """Whoever else can write there could put another file in its place."""
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "open").chmod(0o755)
    with pytest.raises(StorageError, match="others could read them"):
        ColumnsOnDisk(tmp_path / "open").empty(1, np.int32)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system does not take place beforehand")
def test_a_full_disk_is_an_error_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Met while a mapped file is written to, it would end the process."""

    def full(_file: int, _start: int, _size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(
        StorageError, match=r"no place for 8 MB of columns of pairs \(No space left on device\)"
    ) as error:
        ColumnsOnDisk(tmp_path / "columns").empty(1 << 20, np.int64)
    assert "let more of them be held in memory" in str(error.value.hint)
