"""Engines: the same functions on different hardware. The reference engine (NumPy) defines what is right."""

from __future__ import annotations

from unveil.engines.reference import ReferenceEngine
from unveil.errors import EngineError
from unveil.linkage.engine import Engine

NAMES = ("auto", "reference")


def choose(name: str = "auto") -> Engine:
    """The engine of that name; `auto` takes the fastest that this machine has."""
    if name in ("auto", "reference"):
        return ReferenceEngine()
    raise EngineError(f"no engine {name}", hint=f"choose one of {', '.join(NAMES)}")
