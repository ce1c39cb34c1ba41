"""
Whose filter is whose, by all similarities at once.

What an attacker believes is a matrix of weights: how likely each filter is that of each entry of its register. Two
filters that agree by e speak for entries that agree by e. From what is believed of all others follows how much each
filter should agree with them if it were a certain entry's, and from how much it does, how likely that is; then the
same again (mean-field inference, in the manner of matching graphs). With a few people known it begins with these, and
without any it begins with profiles, and trusts similarities little at first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix, View

#: Rounds of scaling that make the weights of a filter add up to 1, and those of an entry to no more.
_SCALINGS = 3
#: How much of a round's outcome is believed; the rest is what was believed before, which keeps it from swinging.
_BELIEVED = np.float32(0.7)
#: How far similarities are trusted, round by round, where people are known and where nobody is.
WITH_KNOWN = (1.0,) * 12
WITHOUT = (*np.geomspace(0.003, 1, 12).tolist(), 1.0, 1.0, 1.0)

Known = NDArray[np.int64]


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

    `known` are pairs of filter and entry that the attacker is sure of, `beliefs` are what it begins with.
    """
    shape = len(views[0].seen), len(views[0].expected)
    beliefs = np.zeros(shape, np.float32) if beliefs is None else beliefs
    _put(beliefs, known)
    trust = trust or (WITHOUT if known is None else WITH_KNOWN)
    for number, share in enumerate(trust):
        found = scaled(_evidence(views, beliefs, share, known))
        _put(found, known)
        beliefs += _BELIEVED * (found - beliefs)
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
    for view in views:
        score: Matrix = view.seen @ (beliefs @ view.expected)
        score -= 0.5 * (held @ (view.expected * view.expected))
        score *= np.float32(trust / view.noise)
        out += score
    if known is not None:
        out[:, known[:, 1]] = -1e9
    return out


def _put(weights: Matrix, known: Known | None) -> None:
    if known is not None:
        weights[known[:, 0]] = 0
        weights[known[:, 0], known[:, 1]] = 1
