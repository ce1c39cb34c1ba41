"""
Whose filter is whose, by all similarities at once.

What an attacker believes is a matrix of weights: how likely each filter is that of each entry of its register. Two
filters that agree by e speak for entries that agree by e. From what is believed of all others follows how much each
filter should agree with them if it were a certain entry's, and from how much it does, how likely that is; then the
same again (mean-field inference, in the manner of matching graphs). With a few people known it begins with these, and
without any it begins with profiles, and trusts similarities little at first. Who shares blocking keys (`blocks`) is
weighed in the same way. With known people only those count of whom something is believed: the many small beliefs about
everybody else add little but noise, and time.

What is seen is a product of filters, so no matrix of all similarities is needed: from what is believed follows a mean
filter for each entry, from these and what is expected the filter that an entry's neighbours would have together, and
one product with all filters gives the evidence. A round takes n²m steps instead of n³.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix, View, around, pieces, squares
from unveil.privacy.attacks.blocks import KeyGraphs, edges, lost

#: Rounds of scaling that make the weights of a filter add up to 1, and those of an entry to no more.
_SCALINGS = 3
#: How much of a round's outcome is believed; the rest is what was believed before, which keeps it from swinging.
_BELIEVED: Final = np.float32(0.7)
#: Who a filter is itself says nothing about whose neighbour it is. Beliefs below this are too small to matter there.
_LEAST: Final = np.float32(0.001)
#: Where what is believed moves by less than this share in a round, further ones change nothing.
_SETTLED: Final = 0.01
#: How far similarities are trusted, round by round, where people are known and where nobody is.
WITH_KNOWN = (1.0,) * 12
WITHOUT = (*np.geomspace(0.003, 1, 12).tolist(), 1.0, 1.0, 1.0)

Known = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Start:
    """How an attacker begins who knows nobody: how sharply profiles are believed, and how trust grows."""

    sharpness: float
    trust: tuple[float, ...] = WITHOUT


def _growing(first: float, rounds: int) -> tuple[float, ...]:
    return (*np.geomspace(first, 1, rounds).tolist(), 1.0, 1.0, 1.0, 1.0)


#: Starts to try one after the other: single tries vary widely, and nobody can tell beforehand which goes well.
STARTS: Final = (
    Start(4.0, _growing(0.1, 10)),
    Start(1.0, _growing(0.01, 12)),
    Start(2.0, _growing(0.03, 12)),
    Start(0.5, WITHOUT),
)


def matched(
    views: Sequence[View],
    *,
    blocks: Sequence[KeyGraphs] = (),
    known: Known | None = None,
    beliefs: Matrix | None = None,
    trust: Sequence[float] | None = None,
    told: Callable[[int, int], None] = lambda _, __: None,
) -> Matrix:
    """
    How likely each filter (row) is that of each entry (column), as an attacker sees it in the end.

    `known` are pairs of filter and entry that the attacker is sure of, `beliefs` are what it begins with; they are
    worked on in place.
    """
    weights = np.zeros((len(views[0].signs), views[0].entries), np.float32) if beliefs is None else beliefs
    _put(weights, known)
    trust = trust or (WITHOUT if known is None else WITH_KNOWN)
    signs = np.hstack([view.signs for view in views])
    believed = _Believed.of(weights, signs, firm=known is not None)
    for number, share in enumerate(trust):
        _weigh(views, blocks, believed, share, signs=signs, out=weights)
        if known is not None:
            weights[:, known[:, 1]] = -1e9
        _put(scaled(weights), known)
        found = _Believed.of(weights, signs, firm=known is not None)
        moved = float(np.linalg.norm(found.mean - believed.mean) / np.linalg.norm(found.mean))
        believed = believed.towards(found)
        told(number + 1, len(trust))
        if moved < _SETTLED and share == trust[-1]:
            break
    return weights


@dataclass(frozen=True, slots=True)
class _Believed:
    """
    What the next round takes of all weights, which is linear in them: so there need be one matrix of these at a time.

    `strong` are weights that are more than nothing, `held` says how much each entry is held to be there, and `mean` is
    the filter (entries × bits) that it has by what is believed.
    """

    strong: Any
    held: Matrix
    mean: Matrix

    @classmethod
    def of(cls, weights: Matrix, signs: Matrix, *, firm: bool) -> _Believed:
        """From all weights, or with `firm` from those that are more than next to nothing."""
        strong = _strong(weights)
        counted: Any = strong if firm else weights
        return cls(
            strong, np.asarray(counted.sum(axis=0), np.float32).ravel(), np.asarray(counted.T @ signs, np.float32)
        )

    def towards(self, found: _Believed) -> _Believed:
        """A part of the way from these to what was found."""
        strong = self.strong * (1 - _BELIEVED) + found.strong * _BELIEVED
        strong.data[strong.data < _LEAST] = 0
        strong.eliminate_zeros()
        held, mean = (
            one * (1 - _BELIEVED) + other * _BELIEVED
            for one, other in ((self.held, found.held), (self.mean, found.mean))
        )
        return _Believed(strong, held, mean)


def scaled(evidence: Matrix) -> Matrix:
    """Log evidence as weights, in place: a filter is somebody's, and an entry is no more than one filter's."""
    for rows in pieces(*evidence.shape):
        some = evidence[rows]
        some -= some.max(axis=1, keepdims=True)
        np.exp(some, out=some)
    # Rows and columns are scaled by one factor each, so these are worked out first and the matrix is written once.
    of_columns = np.ones(evidence.shape[1], np.float32)
    for _ in range(_SCALINGS):
        of_rows: Matrix = np.reciprocal(evidence @ of_columns)
        of_columns /= np.maximum(of_columns * (of_rows @ evidence), 1)
    for rows in pieces(*evidence.shape):
        evidence[rows] *= of_rows[rows, None]
        evidence[rows] *= of_columns
    return evidence


def _weigh(
    views: Sequence[View], blocks: Sequence[KeyGraphs], believed: _Believed, trust: float, *, signs: Matrix, out: Matrix
) -> None:
    """The log likelihood of each filter being that of each entry, if the others are who they are believed to be."""
    mean, held = believed.mean, believed.held
    neighbours, alone, start = np.empty_like(mean), np.zeros(len(mean), np.float32), 0
    for view in views:
        part = slice(start, start + view.signs.shape[1])
        weight = np.float32(trust / view.noise)
        # entries × bits: what the neighbours of each entry would have together
        neighbours[:, part] = around(view.expected, mean[:, part])
        neighbours[:, part] *= weight / np.float32(view.signs.shape[1])
        alone += squares(view.expected, held) * (weight / 2)
        start = part.stop
    for each in blocks:
        alone += lost(each, held, trust)
    for rows in pieces(*out.shape):
        np.matmul(signs[rows], neighbours.T, out=out[rows])
        out[rows] -= alone
    for view in views:
        _leave_out_own(view, believed.strong, np.float32(trust / view.noise), out)
    for each in blocks:
        met = edges(each, believed.strong, trust)
        out[met.row, met.col] += met.data


def _leave_out_own(view: View, strong: Any, weight: np.float32, out: Matrix) -> None:
    """Nobody is a neighbour of their own: what is believed of a filter itself says nothing about whose it is."""
    if isinstance(view.expected, np.ndarray):
        for rows in pieces(*out.shape):
            out[rows] -= (strong[rows] @ view.expected) * weight
    else:
        own = (strong @ view.expected.sparse).tocoo()
        out[own.row, own.col] -= own.data * weight


def _strong(weights: Matrix) -> Any:
    """Weights that are more than nothing, as a sparse matrix."""
    from scipy.sparse import csr_array

    found = []
    for piece in pieces(*weights.shape):
        rows, columns = np.nonzero(weights[piece] >= _LEAST)
        found.append((weights[piece][rows, columns], rows + piece.start, columns))
    values, rows, columns = (np.concatenate(each) for each in zip(*found, strict=True))
    return csr_array((values, (rows, columns)), shape=weights.shape)


def _put(weights: Matrix, known: Known | None) -> None:
    if known is not None:
        weights[known[:, 0]] = 0
        weights[known[:, 0], known[:, 1]] = 1
