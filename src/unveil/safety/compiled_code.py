"""
Where machine code is kept between runs: read back, it is run, so it lies where nobody else can put any.

Numba keeps what it compiled as pickles beside the source or wherever NUMBA_CACHE_DIR says, and asks nobody who else may
write there. Here it is told a folder of this user's own: `unveil/compiled` in XDG_CACHE_HOME or ~/.cache, or the one
that NUMBA_CACHE_DIR names, each only if it is private (`private_folder`). Without one, every process compiles anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from unveil.safety.private_folder import private_folder


def compiled_privately(function: Callable[..., Any], **options: Any) -> Any:
    """The function as Numba compiles it with these options, kept in the private folder, or nowhere."""
    import numba

    settings: Any = numba.config
    folder, before = compiled_folder(), settings.CACHE_DIR
    if folder is not None:
        settings.CACHE_DIR = str(folder)
        try:
            compiled: Any = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # the function is in no file, or nothing can be written
            pass
        else:
            # Where Numba cannot write to the folder it looks for another one by itself.
            if Path(compiled._cache.cache_path).is_relative_to(folder):  # noqa: SLF001 - there is no public way
                return compiled
        finally:
            settings.CACHE_DIR = before
    return numba.njit(**options)(function)


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
