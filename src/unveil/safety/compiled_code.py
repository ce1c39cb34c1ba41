"""
Where machine code is kept between runs: read back, it is run, so it lies where nobody else can put any.

Numba keeps what it compiled as pickles beside the source or wherever NUMBA_CACHE_DIR says, and asks nobody who else may
write there. Here it is told a folder of this user's own: `unveil/compiled` in XDG_CACHE_HOME or ~/.cache, or the one
that NUMBA_CACHE_DIR names, each only if it is private (`private_folder`). Without one, every process compiles anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from unveil.safety.private_folder import private_folder


@contextmanager
def kept_privately() -> Iterator[bool]:
    """Within this block Numba keeps compiled functions in a private folder; whether there is one."""
    from numba import config

    settings: Any = config
    folder = compiled_folder()
    before = settings.CACHE_DIR
    settings.CACHE_DIR = "" if folder is None else str(folder)
    try:
        yield folder is not None
    finally:
        settings.CACHE_DIR = before


@cache
def compiled_folder() -> Path | None:
    """The folder for compiled functions, or None if no folder is private."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return private_folder(Path(named))
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        place = Path(home) if home and Path(home).is_absolute() else Path.home() / ".cache"
    except RuntimeError:  # nobody knows where home is
        return None
    return private_folder(place / "unveil" / "compiled")
