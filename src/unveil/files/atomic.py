"""A written file appears whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unveil.errors import SettingError

_EXISTS_HINT = "choose another name, or pass --force to replace it"


def check_target(path: Path, *, overwrite: bool, hint: str = _EXISTS_HINT) -> None:
    """Refuse a path that cannot be written, before any long work is done for it; `hint` if it exists already."""
    if path.is_dir():
        raise SettingError(f"{path}: is a directory, not a file", hint="name a file in it")
    if not path.parent.is_dir():
        raise SettingError(f"{path}: the folder {path.parent} does not exist", hint=f"make it: mkdir -p {path.parent}")
    if not overwrite and path.exists():
        raise SettingError(f"{path}: exists already", hint=hint)


@contextmanager
def replacing(path: Path, *, overwrite: bool = True, hint: str = _EXISTS_HINT) -> Iterator[Path]:
    """
    A temporary file beside the path, which takes its name when the block ends well and vanishes when it does not.

    The contents are on the disk before the name is, so a crash leaves the old file or the new one, never half of one.
    The file is readable by its owner alone: it holds record ids or encodings.
    """
    check_target(path, overwrite=overwrite, hint=hint)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise SettingError(f"{path}: cannot be written: {error.strerror}") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _sync(temporary)
        _rename(temporary, path, overwrite=overwrite, hint=hint)
    except OSError as error:
        raise SettingError(f"{path}: cannot be written: {error.strerror or 'the disk refused it'}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()
    with suppress(OSError):  # some file systems cannot sync a folder; the rename itself is done
        _sync(path.parent)


def _rename(temporary: Path, path: Path, *, overwrite: bool, hint: str) -> None:
    if overwrite:
        temporary.replace(path)
        return
    try:
        # A hard link, unlike a rename, fails if somebody made the file meanwhile.
        path.hardlink_to(temporary)
    except FileExistsError:
        raise SettingError(f"{path}: exists already", hint=hint) from None
    except OSError:  # a file system without hard links: the check and the rename are then two steps
        check_target(path, overwrite=False, hint=hint)
        temporary.replace(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
