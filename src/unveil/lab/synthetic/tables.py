"""Read the name tables that ship with this room."""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray


def strings(values: list[str] | tuple[str, ...]) -> NDArray[np.object_]:
    """The values as an array of Python strings."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def rows(name: str) -> list[list[str]]:
    """The rows of `data/<name>.tsv`."""
    text = (resources.files("unveil.lab.synthetic") / "data" / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


def weighted(name: str) -> tuple[list[str], NDArray[np.float64]]:
    """Names and their shares of the table, commonest first."""
    pairs = rows(name)
    weights = np.array([float(weight) for _, weight in pairs])
    return [word for word, _ in pairs], weights / weights.sum()


@cache
def words(name: str) -> tuple[str, ...]:
    """The words or syllables under that name in `data/words.tsv`."""
    return tuple(dict(rows("words"))[name].split(" "))


@cache
def nicknames() -> dict[str, tuple[str, ...]]:
    """Every first name with its short forms, and every short form with what it may be short for."""
    found: dict[str, list[str]] = {}
    for formal, short in rows("nicknames"):
        found.setdefault(formal, []).append(short)
        found.setdefault(short, []).append(formal)
    return {name: tuple(others) for name, others in found.items()}
