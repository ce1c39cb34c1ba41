"""Compilation of the CPU engine's kernels: at first use, by Numba, kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")

#: Threads work on the same pieces of one comparison, so kernels let go of the interpreter's lock.
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code for this processor; compiled when it is first called with such arguments."""
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        # No folder can be written to: every process then compiles for itself, which takes seconds and loses nothing.
        return numba.njit(**_OPTIONS)(function)
