"""
How long tests wait for what is sure to come.

Limits are far beyond what anything takes, for on a busy machine everything may take long, and where all is well they
cost nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 300.0  # seconds
_LOOK: Final = 0.02


def wait_until(holds: Callable[[], object], what: str, *, look: float = _LOOK) -> None:
    """Wait until something holds, looking every so many seconds; an error that says for what it was in vain."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(look)
