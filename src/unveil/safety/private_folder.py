"""Folders in which nobody else can put anything."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def private_folder(path: Path) -> Path | None:
    """
    The folder, made with mode 700 if need be; None if it cannot be had, or if others could put files into it.

    It and every folder above it must belong to this user or to the system's administrator, and nobody else may write
    to them. Above it, a folder like /tmp is allowed: everybody may write there, and nobody replace what is another's.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        whole = Path(os.path.realpath(path))
        if os.name != "posix":
            return whole
        found = whole.stat()
        if found.st_uid != os.geteuid() or not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077:
            return None
        return whole if all(map(_ours, whole.parents)) else None
    except OSError:
        return None


def _ours(folder: Path) -> bool:
    found = folder.stat()
    if found.st_uid not in {0, os.geteuid()}:
        return False
    return not found.st_mode & 0o022 or bool(found.st_mode & stat.S_ISVTX)
