"""Columns of messages as arrays and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Outcomes
from unveil.protocol.messages import ID


def entries(column: bytes, width: int) -> list[bytes]:
    """The entries of a column of ids or keys."""
    return [column[start : start + width] for start in range(0, len(column), width)]


def byte_matrix(column: bytes, *shape: int) -> NDArray[np.uint8]:
    """A column of bytes as a matrix with these dimensions after the first."""
    return np.frombuffer(column, np.uint8).reshape(-1, *shape)


def one_each(ids: bytes, asked: bytes, attributes: int) -> list[tuple[bytes, int]]:
    """Id and attribute of each entry that asks for one attribute (1) and no other (0); others are left out."""
    marks, each = byte_matrix(asked, attributes), entries(ids, ID)
    alone = (marks.sum(axis=1, dtype=np.int64) == 1) & (marks.max(axis=1) == 1)
    return [(each[at], int(marks[at].argmax())) for at in np.flatnonzero(alone).tolist()]


def outcomes(g: bytes, p: bytes) -> Outcomes:
    """The outcomes in two columns; ValueError if they are not outcomes."""
    flags = np.frombuffer(g, np.uint8)
    if flags.size and flags.max() > 1:
        raise ValueError("g must be 0 or 1")
    return Outcomes(flags.astype(bool), np.frombuffer(p, "<f8").astype(np.float64))


def outcome_columns(outcomes: Outcomes) -> tuple[bytes, bytes]:
    """Two columns with these outcomes."""
    return outcomes.g.astype(np.uint8).tobytes(), outcomes.p.astype("<f8").tobytes()
