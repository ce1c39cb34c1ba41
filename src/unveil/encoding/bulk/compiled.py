"""
Kernels: functions over plain arrays, compiled on first use and run on every core.

A kernel holds no Python object, so it gives up Python's global lock and several threads run it at once, each on its own
rows. The threads are ours, not Numba's: they end with the work, so two owners in one process may encode at the same
time and a process that has encoded may still fork. Numba's own threads allow only one of the two, unless one more
library (TBB) is installed.

Loading the compiler takes longer than encoding a few records. Modules with kernels are therefore imported where they
are called, and only for as many records as `filters.WORTH_COMPILING` says.

Numba keeps machine code on disk and makes it anew when the file of the called kernel changes, not when a kernel that is
called from there does: after a change of `sha256` or `streams`, remove the folder that `safety.compiled_code` names.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar, cast

import numba

from unveil.safety.compiled_code import compiled_privately

F = TypeVar("F", bound=Callable[..., object])

#: More parts than threads, so that a thread that was held up leaves work to the others.
_PARTS_PER_THREAD = 4


def compiled(function: F) -> F:
    """The function as machine code, kept on disk for the next process if some folder is this user's alone."""
    return cast("F", compiled_privately(function, nogil=True))


def threads() -> int:
    """Threads that share the work: the cores this process may use, or NUMBA_NUM_THREADS from the environment."""
    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]  # set when Numba is loaded


def shared(kernel: Callable[..., object], n: int, *arguments: object) -> None:
    """Call kernel(start, stop, *arguments) for parts that cover 0 … n, on every core at once."""
    parts = min(n, threads() * _PARTS_PER_THREAD)
    borders = [n * part // max(1, parts) for part in range(parts + 1)]
    at_once(kernel, [(start, stop, *arguments) for start, stop in pairwise(borders)])


def at_once(function: Callable[..., object], calls: list[tuple[object, ...]]) -> list[object]:
    """What the function returns for each of these argument lists, computed on every core at once."""
    if threads() == 1 or len(calls) < 2:  # noqa: PLR2004 - one call needs no second thread
        return [function(*call) for call in calls]
    with ThreadPoolExecutor(threads()) as pool:
        return list(pool.map(lambda call: function(*call), calls))
