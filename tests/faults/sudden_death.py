"""
Points at which a forked party may kill itself: right before and after each write, and around each call to a unit.

Moments that a killer from outside would hardly ever hit, such as the one between an answer and the note that it came.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from functools import wraps
from typing import Any

from unveil.storage.log.log import ProjectLog
from unveil.transport.http.client import UnitClient

_WRITES = ("append", "delivered", "erase")
_CALLS = ("put", "mail", "acknowledge")
_luck: dict[str, Any] = {"chance": 0.0, "rng": random.Random()}


def install() -> None:
    """Set the points in every party that is forked from here on; none is deadly until it is told so."""
    for kind, names in ((ProjectLog, _WRITES), (UnitClient, _CALLS)):
        for name in names:
            setattr(kind, name, _perilous(getattr(kind, name)))


def live_dangerously(chance: float, seed: int) -> None:
    """From now on each point is deadly with this probability."""
    _luck.update(chance=chance, rng=random.Random(seed))


def _perilous(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def perilous(*arguments: Any, **options: Any) -> Any:
        _perhaps_die()
        found = function(*arguments, **options)
        _perhaps_die()
        return found

    return perilous


def _perhaps_die() -> None:
    if _luck["chance"] and _luck["rng"].random() < _luck["chance"]:
        os.kill(os.getpid(), signal.SIGKILL)
