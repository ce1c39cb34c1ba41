"""
Presets: named sets of protocol parameters.

`schema` leaves the schema's own parameters as they are. `paper` sets those of the published runs: the schema's defaults
follow the publication's text, which doubles the weight of a reviewer's label in both layers, but the configuration
released with it does not, and it is the configuration that reproduces the published figures. `unveil` starts from
models that know generated people, opens the least certain pairs first, weighs labels by how often reviewers seem to
err, and asks for fewer values.
"""

from __future__ import annotations

from typing import Any

from unveil.errors import SettingError
from unveil.schema import Hardening, Schema

PRESETS: dict[str, dict[str, Any]] = {
    "paper": {
        "models": "paper",
        "neighbours": 0,
        "strategy": "buckets",
        "p_t": 0.8,
        "controls": 0.0,
        "clerical_weight_r": 1.0,
        "clerical_weight_a": 1.0,
        "review": {"learn_lower": None},
    },
    "schema": {},
    "unveil": {
        "models": "prior",
        "neighbours": 5,
        # Most pairs are opened before most labels are asked for, so that these go where both layers are uncertain.
        "batches": (1500, 1500, 500, 500, 500),
        "strategy": "closest",
        "p_t": 0.995,
        "controls": 0.2,
        "clerical_weight_r": 1.0,
        "clerical_weight_a": 1.0,
        "review": {"learn_lower": 0.6},
    },
}
#: How even wishes are in a new project; `docs/how-it-works.md` has what other values cost and give.
EVENNESS = 0.9
#: How often reviewers of a new project may ask owners for one more attribute of a pair, as a share of the budget.
FURTHER_ATTRIBUTES = 0.1
#: Labels of the smallest batch that a preset asks of reviewers.
SMALLEST_BATCH = 10
ENCODINGS: dict[str, tuple[Hardening, ...]] = {
    "clk": (),
    "clk-xor": (Hardening(method="xor-fold"),),
}


def with_preset(schema: Schema, preset: str, *, budget: int | None = None, layers: int | None = None) -> Schema:
    """The schema with a preset's parameters and, where given, another budget or number of layers."""
    if preset not in PRESETS:
        raise SettingError(f"no preset {preset}", hint=f"choose one of {', '.join(PRESETS)}")
    changes = dict(PRESETS[preset])
    review = dict(changes.get("review", {}))
    if budget is not None:
        if budget < 0:
            raise SettingError("the budget must not be negative", hint="0 asks no reviewer at all")
        review["budget"] = budget
        review |= _batches(schema, budget, iterations=len(changes.get("batches", schema.protocol.batches)))
    changes["review"] = schema.protocol.review.model_copy(update=review)
    if layers is not None:
        if layers not in (1, 2, 3):
            raise SettingError("layers must be 1, 2 or 3")
        changes["layers"] = layers
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update=changes)})


def _batches(schema: Schema, budget: int, *, iterations: int) -> dict[str, int]:
    """
    Batches of a sensible size, spread over the iterations: of two labels nobody learns anything, people nor models.

    The publication's budgets, from 100 on, keep their ten batches.
    """
    review = schema.protocol.review
    batches = max(1, budget // SMALLEST_BATCH)
    if batches >= review.batches:
        return {}
    return {"batches": batches, "rounds": min(review.rounds, -(-batches // iterations))}


def with_encoding(schema: Schema, encoding: str | None) -> Schema:
    """The schema with another record-level encoding; its own if none is named."""
    if encoding is None:
        return schema
    if encoding not in ENCODINGS:
        raise SettingError(f"no encoding {encoding}", hint=f"choose one of {', '.join(ENCODINGS)}")
    layer = schema.layer_r.model_copy(update={"encoding": "clk", "hardening": ENCODINGS[encoding]})
    return schema.model_copy(update={"layer_r": layer})
