"""Labels that may be wrong: how often the reviewer errs, and the weights that make such labels most likely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.linkage.outcome import Flags, Outcomes, Reals

#: Errors that a reviewer may be found to make; nobody is taken to be free of error, or always wrong.
ERRORS = np.round(np.arange(0.01, 1.0, 0.01), 10)
#: From this error on labels are as good as a coin, or worse: nothing is learnt from them.
NO_BETTER_THAN_CHANCE = 0.45
#: What is expected of a reviewer before any label was seen, as if ten had been checked and two been wrong.
_WRONG, _RIGHT = 2.0, 8.0
_STEPS = 30
_HALVINGS = 40
_CLOSE = 1e-9
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Weights:
    """Where the weights of a model's columns start, how firmly each is held there, and how low each may go."""

    start: Reals
    inertia: Reals
    lowest: Reals


def estimated_error(design: Reals, label: Outcomes, weights: Weights) -> float:
    """
    Return how often the reviewer errs, from labels on pairs for which a model gives log odds.

    A label says match with probability m·(1 − e) + (1 − m)·e, where m is the model's probability of a match. The e that
    makes the labels most likely is returned, with a little prior expectation, and with the model's own weights fitted
    along. Labels on pairs that the model is sure of teach the most; a coin toss teaches nothing.
    """
    _, losses = fit(design, label.g.astype(np.float64), unsure(ERRORS, label.p), weights)
    losses = losses - _WRONG * np.log(ERRORS) - _RIGHT * np.log(1 - ERRORS)
    return float(ERRORS[int(np.argmin(losses))])


def unsure(errors: Reals, p: Reals) -> Reals:
    """
    Return for each share of wrong labels how often each label is wrong that was given with confidence p.

    e' = 1 − p·(1 − e) − (1 − p)·e. Who was half sure says less, and nothing against what the model knows: taken for the
    probability of a match, p would pull pairs towards doubt that are certain.
    """
    wrong: Reals = 1 - p * (1 - errors[:, None]) - (1 - p) * errors[:, None]
    return wrong


def fit(design: Reals, target: Reals, errors: Reals, weights: Weights) -> tuple[Reals, Reals]:
    """
    Return for each share of wrong labels the weights that make the labels most likely, and the loss that is left.

    With q = e + (1 − 2e)·σ(design·θ), the chance that a label says match when a share e of labels is wrong, the loss is
    −Σ (y·log q + (1 − y)·log(1 − q)) + ½·Σ inertia·(θ − θ₀)². It is minimised by Fisher scoring, and no step is taken
    that would not lower it. All shares are worked on at once; each is one number, or one for each label.
    """
    problem = _Problem(design, target, errors if errors.ndim > 1 else errors[:, None], weights)
    theta = np.repeat(weights.start[None], len(errors), axis=0)
    loss = problem.loss(theta)
    moving = np.ones(len(errors), bool)
    for _ in range(_STEPS):
        if not moving.any():
            break
        theta, loss, moving = problem.improved(theta, loss, moving)
    return theta.round(_DIGITS), loss


@dataclass(frozen=True, slots=True)
class _Problem:
    design: Reals
    target: Reals
    error: Reals
    weights: Weights

    def loss(self, theta: Reals) -> Reals:
        q = self._chance(theta)[0]
        fitting = -(self.target * np.log(q) + (1 - self.target) * np.log(1 - q)).sum(axis=1)
        return fitting + ((theta - self.weights.start) ** 2 @ self.weights.inertia) / 2

    def improved(self, theta: Reals, loss: Reals, moving: Flags) -> tuple[Reals, Reals, Flags]:
        """One step of each that still moves, halved until it lowers the loss; who finds none moves no more."""
        step, trying, moved = self._step(theta), moving.copy(), np.zeros(len(moving), bool)
        for _ in range(_HALVINGS):
            trying &= np.abs(step).max(axis=1) > _CLOSE
            if not trying.any():
                break
            after = np.maximum(theta + step, self.weights.lowest)
            lower = self.loss(after)
            better = trying & (lower < loss)
            theta, loss = np.where(better[:, None], after, theta), np.where(better, lower, loss)
            moved |= better
            trying &= ~better
            step = step / 2
        return theta, loss, moved

    def _chance(self, theta: Reals) -> tuple[Reals, Reals]:
        """The chance that each label says match, and that each pair is one."""
        p = 1 / (1 + np.exp(-np.clip(theta @ self.design.T, -30, 30)))
        return np.clip(self.error + (1 - 2 * self.error) * p, 1e-9, 1 - 1e-9), p

    def _step(self, theta: Reals) -> Reals:
        q, p = self._chance(theta)
        slope = (1 - 2 * self.error) * p * (1 - p)
        pull = (self.target - q) * slope / (q * (1 - q))
        score = pull @ self.design - self.weights.inertia * (theta - self.weights.start)
        weight = slope**2 / (q * (1 - q))
        information = np.einsum("en,ni,nj->eij", weight, self.design, self.design, optimize=True)
        information += np.diag(self.weights.inertia)
        # What is held at its lowest and would go lower stays: the others step as if it were not there.
        held = (theta <= self.weights.lowest) & (score <= 0)
        information *= ~(held[:, :, None] | held[:, None, :])
        information += held[:, :, None] * np.eye(len(self.weights.start))
        score *= ~held
        return np.linalg.solve(information, score[:, :, None])[:, :, 0]
