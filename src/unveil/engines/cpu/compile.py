"""Compilation of the CPU engine's kernels: at first use, by Numba, kept on disk in a private folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
from numba.extending import intrinsic

from unveil.safety.compiled_code import compiled_privately

P = ParamSpec("P")
R = TypeVar("R")

#: Threads work on the same comparison at a time, so kernels let go of the interpreter's lock.
_OPTIONS: Any = {"nogil": True, "error_model": "numpy"}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """
    The function as machine code for this processor; compiled when it is first called with such arguments.

    Arguments are arrays, numbers and plain tuples: a class of ours would be looked up by name when the compiled code is
    read back from disk, even by a version that no longer has it.
    """
    # Where no folder is ours alone every process compiles for itself, which takes seconds and loses nothing.
    compiled = compiled_privately(function, **_OPTIONS)
    _renew_with_any_source(compiled)
    return compiled


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """The function as part of the kernels that call it. Python cannot call it, which halves its compilation."""
    options = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(**options)(function)


def in_place(function: Callable[P, R]) -> Callable[P, R]:
    """The function's code in place of each call: for what is short and called for every pair."""
    options = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    return numba.njit(**options)(function)


def instruction(function: Any) -> Any:
    """A function that kernels call with all arguments but its first, and that returns the code to put there."""
    return intrinsic(function)


def _renew_with_any_source(compiled: Any) -> None:
    """Compile anew when any file of this room changes; by itself Numba looks at the kernel's own file alone."""
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        index._source_stamp = _sources()  # noqa: SLF001 - there is no public way


@cache
def _sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
