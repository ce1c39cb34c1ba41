"""
Whose filter is whose, by all similarities at once.

What an attacker believes is a matrix of weights: how likely each filter is that of each entry of its register. Two
filters that agree by e speak for entries that agree by e. From what is believed of all others follows how much each
filter should agree with them if it were a certain entry's, and from how much it does, how likely that is; then the
same again (mean-field inference, in the manner of matching graphs). With a few people known it begins with these, and
without any it begins with profiles, and trusts similarities little at first.

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

from unveil.privacy.attacks.agreement import Matrix, View, pieces

#: Rounds of scaling that make the weights of a filter add up to 1, and those of an entry to no more.
_SCALINGS = 3
#: How much of a round's outcome is believed; the rest is what was believed before, which keeps it from swinging.
_BELIEVED = np.float32(0.7)
#: Who a filter is itself says nothing about whose neighbour it is. Beliefs below this are too small to matter there.
_LEAST: Final = np.float32(0.001)
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
    shape = len(views[0].signs), views[0].entries
    beliefs = np.zeros(shape, np.float32) if beliefs is None else beliefs
    _put(beliefs, known)
    trust = trust or (WITHOUT if known is None else WITH_KNOWN)
    for number, share in enumerate(trust):
        found = scaled(_evidence(views, beliefs, share, known))
        _put(found, known)
        beliefs *= 1 - _BELIEVED
        found *= _BELIEVED
        beliefs += found
        told(number + 1, len(trust))
    return beliefs


def scaled(evidence: Matrix) -> Matrix:
    """Log evidence as weights, in place: a filter is somebody's, and an entry is no more than one filter's."""
    evidence -= evidence.max(axis=1, keepdims=True)
    weights: Matrix = np.exp(evidence, out=evidence)
    for _ in range(_SCALINGS):
        weights /= weights.sum(axis=1, keepdims=True)
        weights /= np.maximum(weights.sum(axis=0, keepdims=True), 1)
    return weights


def _evidence(views: Sequence[View], beliefs: Matrix, trust: float, known: Known | None) -> Matrix:
    """The log likelihood of each filter being that of each entry, if the others are who they are believed to be."""
    out = np.zeros_like(beliefs)
    held = beliefs.sum(axis=0)
    believed = _strong(beliefs)
    for view in views:
        weight = np.float32(trust / view.noise)
        expected: Any = view.expected
        # entries × bits: what the neighbours of each entry would have together
        around = np.asarray(expected @ (beliefs.T @ view.signs), np.float32)
        around *= weight / np.float32(view.signs.shape[1])
        alone = np.asarray(held @ (expected * expected), np.float32) * (weight / 2)
        for rows in pieces(*out.shape):
            some = view.signs[rows] @ around.T
            some -= alone
            own = believed[rows] @ expected  # nobody is a neighbour of their own
            own *= weight
            some -= own if isinstance(own, np.ndarray) else own.toarray()
            out[rows] += some
    if known is not None:
        out[:, known[:, 1]] = -1e9
    return out


def _strong(beliefs: Matrix) -> Any:
    """Beliefs that are more than nothing, as a sparse matrix."""
    from scipy.sparse import csr_array

    rows, columns = np.nonzero(beliefs >= _LEAST)
    return csr_array((beliefs[rows, columns], (rows, columns)), shape=beliefs.shape)


def _put(weights: Matrix, known: Known | None) -> None:
    if known is not None:
        weights[known[:, 0]] = 0
        weights[known[:, 0], known[:, 1]] = 1
