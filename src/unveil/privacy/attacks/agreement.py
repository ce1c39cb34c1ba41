"""How much filters of one side agree with each other: what an attacker sees, and what it expects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]

#: Numbers at work at a time, of matrices that are too large to hold twice.
_AT_ONCE: Final = 40_000_000


@dataclass(frozen=True, slots=True)
class Grouped:
    """
    Agreements of entries that are something within groups and nothing across them.

    `within` has the agreements of each of the `groups`, and `sparse` all of them as one square matrix.
    """

    groups: tuple[Rows, ...]
    within: tuple[Matrix, ...]
    sparse: csr_array

    @classmethod
    def of(cls, entries: int, groups: Sequence[Rows], within: Sequence[Matrix]) -> Self:
        """From disjoint groups of that many entries, and how much each group's entries agree."""
        from scipy.sparse import csr_array

        rows = [np.repeat(group, len(group)) for group in groups]
        columns = [np.tile(group, len(group)) for group in groups]
        shape = (entries, entries)
        if not groups:
            return cls((), (), csr_array(shape, dtype=np.float32))
        values = np.concatenate([some.ravel() for some in within])
        return cls(
            tuple(groups),
            tuple(within),
            csr_array((values, (np.concatenate(rows), np.concatenate(columns))), shape=shape),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Entries twice."""
        return len(self), len(self)

    def __len__(self) -> int:
        return int(self.sparse.shape[0])


#: Agreements between entries: all of them, or where most are nothing those that are something.
Expected: TypeAlias = "Matrix | Grouped"


@dataclass(frozen=True, slots=True)
class View:
    """
    One way in which records are alike: seen among the filters, and expected among entries of the attacker's register.

    `signs` are the filters' bits as +1 and -1 (filters × bits): what is seen of two is the mean of their products.
    `expected` is square, zero on the diagonal. `noise` is the variance of what is seen around what is expected of the
    same two people.
    """

    signs: Matrix
    expected: Expected
    noise: float

    @property
    def entries(self) -> int:
        """How many entries the attacker's register has."""
        return len(self.expected)


def signs(bits: NDArray[np.uint8]) -> Matrix:
    """Bits as +1 and -1: their products are XORs, and means of products are agreements."""
    return (1 - 2 * bits.astype(np.int8)).astype(np.float32)


def agreements(bits: NDArray[np.uint8]) -> Matrix:
    """1 - 2d/m for every two rows, that differ in d of m bits; 0 for a row and itself."""
    each = signs(bits)
    out: Matrix = each @ each.T
    out /= np.float32(bits.shape[1])
    np.fill_diagonal(out, 0)
    return out


def around(expected: Expected, of_entries: Matrix) -> Matrix:
    """For each entry the sum of these rows of all others, each as much as it is expected to agree."""
    if isinstance(expected, np.ndarray):
        return expected @ of_entries
    out = np.zeros_like(of_entries)
    for group, some in zip(expected.groups, expected.within, strict=True):
        out[group] = some @ of_entries[group]
    return out


def squares(expected: Expected, held: Matrix) -> Matrix:
    """For each entry the sum of its squared agreements with all others, each as much as it is held to be there."""
    if isinstance(expected, np.ndarray):
        return np.asarray(np.einsum("ab,ab,b->a", expected, expected, held, optimize=False), np.float32)
    out = np.zeros_like(held)
    for group, some in zip(expected.groups, expected.within, strict=True):
        out[group] = (some * some) @ held[group]
    return out


def seen_rows(view: View) -> Iterator[tuple[slice, Matrix]]:
    """What is seen of each filter and all others, some filters at a time; 0 for a filter and itself."""
    for rows in pieces(len(view.signs), len(view.signs)):
        some = view.signs[rows] @ view.signs.T
        some /= np.float32(view.signs.shape[1])
        some[np.arange(len(some)), np.arange(rows.start, rows.stop)] = 0
        yield rows, some


def expected_rows(expected: Expected) -> Iterator[tuple[slice, Matrix]]:
    """What is expected of each entry and all others, some entries at a time."""
    held: Any = expected if isinstance(expected, np.ndarray) else expected.sparse
    for rows in pieces(*expected.shape):
        yield rows, held[rows] if isinstance(expected, np.ndarray) else held[rows].toarray()


def pieces(rows: int, columns: int) -> Iterator[slice]:
    """Rows of a matrix, as many at a time as memory is to hold twice."""
    step = max(1, _AT_ONCE // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
