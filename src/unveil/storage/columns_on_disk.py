"""
Columns that do not fit in memory, in files that nobody can open: a room for pairs (`linkage.collected`).

A file has no name as soon as it is made, so that it goes with the process, however that ends. Its place on the disk is
taken before anything is written to it: a disk that is full is an error then, and later it would be the end of the
process. The system writes what it has no memory for and reads it back when it is looked at.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from unveil.errors import StorageError
from unveil.safety.private_folder import private_folder

#: Columns of pairs that are held in memory where nobody says otherwise, in bytes: 67 million pairs.
MEMORY: Final = 1 << 30


class ColumnsOnDisk:
    """A room in this folder, which must be this user's alone; it is made if need be."""

    def __init__(self, folder: Path, *, memory: int = MEMORY) -> None:
        self._folder, self.memory = folder, memory

    def empty(self, count: int, kind: DTypeLike) -> NDArray[Any]:
        """A column of that length, on the disk; of no length, nowhere."""
        dtype = np.dtype(kind)
        size = count * dtype.itemsize
        if not size:
            return np.empty(0, dtype)
        folder = private_folder(self._folder)
        if folder is None:
            raise StorageError(
                f"{self._folder}: columns of pairs cannot be kept there, for others could read them",
                hint="name a folder that belongs to this user alone",
            )
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                _take(file.fileno(), size)
                return np.memmap(file, dtype, mode="r+", shape=(count,))
        except OSError as error:
            raise StorageError(
                f"{self._folder}: no place for {size / 2**20:,.0f} MB of columns of pairs ({error.strerror})",
                hint="make place there, name another folder, or let more of them be held in memory",
            ) from None


def _take(file: int, size: int) -> None:
    """Let the file be that long, with all of it on the disk."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:  # macOS: a disk that fills up later is met when the column is written
        os.truncate(file, size)
