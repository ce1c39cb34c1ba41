"""
What is known before the first label: models learnt on generated people, shipped as numbers.

`record.json` and `attribute.json` hold one weight per piece of evidence; `python -m tools.train_priors` makes them
anew. Nothing in them comes from a real person. `models.choice` makes each unit's model of them.
"""

from __future__ import annotations

import json
from importlib import resources

import numpy as np

from unveil.errors import ModelError
from unveil.models.logistic import Prior

FORMAT = "unveil-prior-1"


def load_prior(name: str) -> Prior:
    """The shipped prior of that name: record or attribute."""
    text = (resources.files("unveil.models.priors") / f"{name}.json").read_text(encoding="utf-8")
    return prior_from(json.loads(text))


def prior_from(data: dict[str, object]) -> Prior:
    """The prior in that object."""
    try:
        if data["format"] != FORMAT:
            raise ModelError("not a prior of this version", hint=f"expected {FORMAT}")
        rows = data["evidence"]
        assert isinstance(rows, list)
        numbers = np.array([[row["mean"], row["scale"], row["weight"]] for row in rows], np.float64)
        names = tuple(str(row["name"]) for row in rows)
        intercept = float(str(data["intercept"]))
    except (KeyError, TypeError, ValueError, AssertionError):
        raise ModelError("not a prior") from None
    if not rows or not np.isfinite([*numbers.ravel(), intercept]).all() or not (numbers[:, 1] > 0).all():
        raise ModelError("a prior's numbers must be finite, and its scales above 0")
    return Prior(names, numbers[:, 0], numbers[:, 1], numbers[:, 2], intercept)


def as_data(prior: Prior, about: str) -> dict[str, object]:
    """The prior as a plain object."""
    columns = zip(prior.names, prior.mean, prior.scale, prior.weight, strict=True)
    evidence = [
        {"name": name, "mean": float(f"{mean:.8g}"), "scale": float(f"{scale:.8g}"), "weight": float(f"{weight:.8g}")}
        for name, mean, scale, weight in columns
    ]
    return {"format": FORMAT, "about": about, "intercept": float(f"{prior.intercept:.8g}"), "evidence": evidence}
