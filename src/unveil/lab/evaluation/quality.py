"""Precision, recall and F1 of matched pairs against all true pairs, those lost in blocking included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import Rows


@dataclass(frozen=True, slots=True)
class Quality:
    """Counts of pairs and what follows from them."""

    true_positives: int
    matched: int
    true_pairs: int

    @property
    def precision(self) -> float:
        """Share of the matched pairs that are true; 1 if nothing was matched."""
        return self.true_positives / self.matched if self.matched else 1.0

    @property
    def recall(self) -> float:
        """Share of the true pairs that were matched."""
        return self.true_positives / self.true_pairs if self.true_pairs else 1.0

    @property
    def f1(self) -> float:
        """2·TP / (matched + true pairs)."""
        total = self.matched + self.true_pairs
        return 2 * self.true_positives / total if total else 1.0


def truth_flags(left: Rows, right: Rows, truth: NDArray[np.int64]) -> Flags:
    """Which of these pairs are true."""
    if not len(truth):
        return np.zeros(len(left), bool)
    width = 1 + max(int(truth[:, 1].max()), int(right.max(initial=0)))
    return np.isin(left.astype(np.int64) * width + right, truth[:, 0] * width + truth[:, 1])


def quality(matched: Flags, is_true: Flags, true_pairs: int) -> Quality:
    """The quality of these matches."""
    return Quality(int((matched & is_true).sum()), int(matched.sum()), true_pairs)


def best_threshold(score: Reals, is_true: Flags, true_pairs: int, *, step: float = 0.01) -> tuple[float, float]:
    """
    Return the threshold with the highest F1 on a grid, and that F1. Among equals the lowest threshold.

    This is t_opt: it needs the truth, so it serves as a baseline and as a reference point only.
    """
    grid = np.round(np.arange(step, 1.0, step), 10)
    order = np.argsort(score)
    above = np.concatenate([np.cumsum(is_true[order][::-1])[::-1], [0]])
    start = np.searchsorted(score[order], grid, side="left")
    f1 = 2 * above[start] / np.maximum(1, len(score) - start + true_pairs)
    best = int(np.argmax(f1))
    return float(grid[best]), float(f1[best])
