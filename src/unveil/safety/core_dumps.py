"""No core dumps: the memory of a process that holds keys or values is not written to a disk when it dies."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from typing import Final

_PR_SET_DUMPABLE: Final = 4  # linux/prctl.h


def turn_off_core_dumps() -> None:
    """
    Have this process and its children leave no core dump.

    The limit of a core file's size becomes 0, for good. On Linux the process is also marked as one that must not be
    dumped, since a program that collects dumps ignores the limit; other users' processes, and this user's, then cannot
    look into its memory either. Where neither can be done, nothing is: there is nothing else to try.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
