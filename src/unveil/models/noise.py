"""Labels that may be wrong: how often the reviewer errs, and the slope and shift that make such labels most likely."""

from __future__ import annotations

import numpy as np

from unveil.linkage.outcome import Outcomes, Reals

#: Errors that a reviewer may be found to make; nobody is taken to be free of error, or always wrong.
ERRORS = np.round(np.arange(0.01, 1.0, 0.01), 10)
#: From this error on labels are as good as a coin, or worse: nothing is learnt from them.
NO_BETTER_THAN_CHANCE = 0.45
#: What is expected of a reviewer before any label was seen, as if six had been checked and one been wrong.
_WRONG, _RIGHT = 1.0, 5.0
_STEPS = 30
_CLOSE = 1e-9
_START = np.array([1.0, 0.0])  # slope and shift of a prior that nobody has contradicted
_FLATTEST = 0.2
_DIGITS = 12


def estimated_error(odds: Reals, label: Outcomes, *, inertia: tuple[float, float]) -> float:
    """
    Return how often the reviewer errs, from labels on pairs for which a model gives log odds.

    A label says match with probability m·(1 − e) + (1 − m)·e, where m is the model's probability of a match. The e that
    makes the labels most likely is returned, with a little prior expectation, and with the model's own slope and shift
    fitted along. Labels on pairs that the model is sure of teach the most; a coin toss teaches nothing.
    """
    target = np.where(label.g, label.p, 1 - label.p)
    losses = [fit(odds, target, error=float(error), inertia=inertia)[1] for error in ERRORS]
    losses -= _WRONG * np.log(ERRORS) + _RIGHT * np.log(1 - ERRORS)
    return float(ERRORS[int(np.argmin(losses))])


def fit(odds: Reals, target: Reals, *, error: float, inertia: tuple[float, float]) -> tuple[tuple[float, float], float]:
    """
    Return the slope and shift of log odds that make the labels most likely, and the loss that is left.

    With q = e + (1 − 2e)·σ(slope·odds + shift), the chance that a label says match when a share e of labels is wrong,
    the loss is −Σ (y·log q + (1 − y)·log(1 − q)) + ½·Σ inertia·(θ − θ₀)². It is minimised by Fisher scoring, and no
    step is taken that would not lower it.
    """
    design = np.stack([odds, np.ones(len(odds))], axis=1)
    firm = np.array(inertia)
    theta = _START.copy()
    loss = _loss(design @ theta, target, error) + 0.0
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(design @ theta, -30, 30)))
        q = np.clip(error + (1 - 2 * error) * p, 1e-9, 1 - 1e-9)
        slope = (1 - 2 * error) * p * (1 - p)
        score = design.T @ ((target - q) * slope / (q * (1 - q))) - firm * (theta - _START)
        information = (design * (slope**2 / (q * (1 - q)))[:, None]).T @ design + np.diag(firm)
        step = np.linalg.solve(information, score)
        while float(np.abs(step).max()) > _CLOSE:
            after = theta + step
            lower = _loss(design @ after, target, error) + float(firm @ (after - _START) ** 2) / 2
            if lower < loss:
                theta, loss = after, lower
                break
            step = step / 2
        else:
            break
    return (round(max(float(theta[0]), _FLATTEST), _DIGITS), round(float(theta[1]), _DIGITS)), float(loss)


def _loss(odds: Reals, target: Reals, error: float) -> float:
    p = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    q = np.clip(error + (1 - 2 * error) * p, 1e-9, 1 - 1e-9)
    return float(-(target * np.log(q) + (1 - target) * np.log(1 - q)).sum())
