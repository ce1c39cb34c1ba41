"""Files of encodings for tests, and the command line run on them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from unveil.files.encoded import ORIGIN, Encodings, read_encodings
from unveil.interop.conversion import Conversion, Converted, convert
from unveil.interop.encoding_files import Told
from unveil.protocol.messages import HASH

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def some_encodings(
    count: int = 5, *, m: int = 128, keys: int = 0, origin: str = "clkhash", ids: list[str] | None = None
) -> Encodings:
    """Encodings with random bits, the last one empty."""
    rng = np.random.default_rng(count)
    filters = rng.integers(0, 2**64, (count, -(-m // 64)), np.uint64, endpoint=False)
    if m % 64:
        filters[:, -1] &= np.uint64((1 << m % 64) - 1)
    filters[-1] = 0
    blocking = rng.integers(0, 256, (count, keys, HASH), np.uint8)
    blocking[1:2, :1] = 0
    return Encodings(ids or [f"r{row}" for row in range(count)], filters, m, blocking, {ORIGIN: origin})


def converted(path: Path, out: Path, to: str, *, told: Told | None = None, **more: Any) -> Converted:
    """Convert a file, as the command does."""
    numbers = iter(range(10**6))
    asked = Conversion(path=path, out=out, target=to, told=told or Told(), **more)
    return convert(asked, now=NOW, fresh=lambda: f"id-{next(numbers)}", overwrite=True)


def same(one: Encodings, other: Encodings) -> bool:
    """Whether filters, length and blocking keys are the same."""
    return one.m == other.m and bool(
        np.array_equal(one.filters, other.filters) and np.array_equal(one.blocking, other.blocking)
    )


def write_json(path: Path, found: Any) -> Path:
    """A file of JSON."""
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def origin_in(path: Path) -> str:
    """Whose encodings a file of ours holds."""
    return read_encodings(path).origin
