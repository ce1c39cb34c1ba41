"""
Log odds moved so that they give about as many matches as there are pairs that strangers do not explain.

Within a register nobody is anybody's match, so pairs there tell how many strangers and kin across the owners are how
alike (`linkage.strangers`). What there is beyond them are matches. Second entries of a person within a register are
alike as matches are, so that they stand in a fixed ratio c to them: with S strangers and M matches, A = S + M across
and H = S + c·M at home give M = (A − H) / (1 − c), and c shows where pairs are so alike that none are strangers. What
worlds have in common gives way to these counts as far as they are certain, and no further: log odds are moved by a
slope and a shift.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Tail

_BINS: Final = 12  # of similarity, with about as many expected matches in each
_IDENTICAL: Final = 185  # step from which on hardly anybody is a stranger
_FEW: Final = 5.0  # pairs so alike, or no ratio can be told
_OTHERWISE: Final = 0.3  # by which part strangers across the owners may be more or fewer than at home
_SLACK: Final = 2.0  # pairs by which any count may be off
_HIDDEN: Final = 0.95  # second entries for each match from which on they hide the matches
_UNLIKE_MATCHES: Final = 0.35  # by which part their number at any similarity may be off
_SPREADS: Final = (0.15, 1.0)  # of slope and shift: standard deviations of both, as is expected before a look
_FLATTEST: Final = 0.3  # slope
_ROUNDED: Final = 6  # digits of both, so that another machine finds the same


@dataclass(frozen=True, slots=True)
class Counted:
    """Bins of similarity: the lowest step of each, matches in it by the counts, and the variance of that."""

    lowest: NDArray[np.int64]
    matches: Reals
    variance: Reals

    def bin_of(self, step: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bin of each step; -1 below all."""
        return np.searchsorted(self.lowest, step, side="right") - 1


def counted(tail: Tail, step: NDArray[np.int64], p: Reals) -> Counted | None:
    """What the counts say where these pairs are expected to be matches; None where they say nothing."""
    each = zip(tail.at_home, tail.worth.tolist(), _second_entries(tail), strict=True)
    homes = [(home, worth, c) for home, worth, c in each if c < _HIDDEN]
    seen = step >= tail.lowest
    step, p = step[seen], p[seen]
    if not homes or not p.sum() > 0:
        return None
    order = np.argsort(step, kind="stable")
    mass = np.cumsum(p[order])
    at = np.searchsorted(mass, mass[-1] * np.arange(_BINS) / _BINS, side="right")
    lowest = np.unique(step[order[np.minimum(at, len(order) - 1)]])
    across = _between(tail.across, lowest)
    said = [_matches(across, _between(home, lowest), worth, c) for home, worth, c in homes]
    weight = np.array([1 / variance for _, variance in said])
    matches = np.average([found for found, _ in said], axis=0, weights=weight)
    # Both registers tell about the same pairs across, so that together they hardly tell more than one.
    apart = np.ptp([found for found, _ in said], axis=0) / 2
    return Counted(lowest, matches, 1 / weight.mean(axis=0) + apart**2)


def _matches(across: Reals, home: Reals, worth: float, c: float) -> tuple[Reals, Reals]:
    """Matches in each bin going by one register, and the variance of that."""
    found = (across - home) / (1 - c)
    # All pairs of a register are found twice, of a sampled one hardly any.
    chance = (across + max(1.0, 2 * worth) * (home + worth) + _SLACK**2 + (_OTHERWISE * home) ** 2) / (1 - c) ** 2
    return found, chance + (_UNLIKE_MATCHES * c * found / (1 - c)) ** 2


def _second_entries(tail: Tail) -> list[float]:
    """For each register how many pairs of second entries it has for each match across."""
    across = max(1.0, float(tail.across[_IDENTICAL]))
    found = zip(tail.at_home[:, _IDENTICAL].tolist(), tail.worth.tolist(), strict=True)
    return [0.0 if home < _FEW * max(1.0, 2 * worth) else home / across for home, worth in found]


def _between(reaching: Reals, lowest: NDArray[np.int64]) -> Reals:
    """How many are in each bin, of the numbers that reach each step."""
    reached = np.append(reaching[lowest], 0.0)
    return reached[:-1] - reached[1:]


def as_many_matches(odds: Reals, tail: Tail | None, similarity: Reals) -> Reals:
    """The log odds, moved."""
    if tail is None or not len(odds):
        return odds
    step = tail.step(similarity)
    known = counted(tail, step, _logistic(odds))
    if known is None:
        return odds
    slope, shift = _fitted(odds, known, known.bin_of(step))
    return slope * odds + shift


def _fitted(odds: Reals, known: Counted, of_bin: NDArray[np.int64]) -> tuple[float, float]:
    """Slope and shift under which the bins have as many matches as were counted, in squares by their variance."""
    from scipy.optimize import least_squares

    some = of_bin >= 0
    odds, of_bin = odds[some], of_bin[some]
    count, start, spread = len(known.matches), np.array([1.0, 0.0]), np.array(_SPREADS)
    deviation = np.sqrt(known.variance)

    def residuals(theta: Reals) -> Reals:
        found = np.bincount(of_bin, _logistic(theta[0] * odds + theta[1]), count)
        return np.concatenate([(found - known.matches) / deviation, (theta - start) / spread])

    def jacobian(theta: Reals) -> Reals:
        p = _logistic(theta[0] * odds + theta[1])
        columns = [np.bincount(of_bin, p * (1 - p) * each, count) / deviation for each in (odds, np.ones(len(odds)))]
        return np.vstack([np.stack(columns, axis=1), np.diag(1 / spread)])

    found = least_squares(residuals, start, jac=jacobian, bounds=((_FLATTEST, -np.inf), (np.inf, np.inf)))
    slope, shift = found.x.round(_ROUNDED).tolist()
    return slope, shift


def _logistic(odds: Reals) -> Reals:
    p: Reals = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    return p
