"""
Saved models: M_A as plain arrays, to be written to a file and read back.

A file that is damaged or made to mislead, with children that point backwards or outside, is refused before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from unveil.errors import ModelError
from unveil.models.forest import Forest, Tree
from unveil.schema import ForestSettings, Schema

FORMAT = "unveil-forest-1"
_ARRAYS = ("left", "right", "feature", "threshold", "missing_left", "match")
_KINDS = {"left": "i", "right": "i", "feature": "i", "threshold": "f", "missing_left": "b", "match": "f"}
_HINT = "unveil simulate --save-model writes one"


def feature_names(schema: Schema) -> list[str]:
    """What each number of a feature vector means; a model fits only where these are the same."""
    agreed = [f"agreement:{attribute.name}" for attribute in schema.attributes if attribute.frequency]
    return [*(f"similarity:{name}" for name in schema.names), *agreed]


def forest_arrays(forest: Forest, schema: Schema) -> dict[str, NDArray[Any]]:
    """The forest as arrays, with what it was trained on."""
    about = {
        "format": FORMAT,
        "features": feature_names(schema),
        "settings": forest.settings.model_dump(),
        "updates": forest.updates,
    }
    arrays: dict[str, Any] = {name: np.concatenate([getattr(t, name) for t in forest.trees]) for name in _ARRAYS}
    sizes = np.array([len(tree.left) for tree in forest.trees], np.int64)
    return {"about": np.array(json.dumps(about)), "sizes": sizes, **arrays}


def forest_of(found: Mapping[str, NDArray[Any]], schema: Schema, *, source: str) -> Forest:
    """The forest in these arrays, if it was trained on the schema's features; `source` is named where it was not."""
    try:
        about = json.loads(str(found["about"]))
        arrays = {name: found[name] for name in _ARRAYS}
        sizes = found["sizes"]
        if about.get("format") != FORMAT:
            raise ModelError(f"{source}: not a model of this version", hint=f"expected {FORMAT}")
        settings = ForestSettings.model_validate(about["settings"])
        features, updates = about["features"], int(about["updates"])
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError):
        raise ModelError(f"{source}: not a saved model", hint=_HINT) from None
    if features != feature_names(schema):
        raise ModelError(f"{source}: trained on other attributes than the schema's")
    return Forest(settings, _trees(source, arrays, sizes, len(features)), updates)


def _trees(source: str, arrays: dict[str, NDArray[Any]], sizes: NDArray[Any], width: int) -> tuple[Tree, ...]:
    total = len(arrays["left"])
    sound = sizes.ndim == 1 and sizes.dtype.kind == "i" and len(sizes) and bool((sizes > 0).all())
    if (
        not sound
        or int(sizes.sum()) != total
        or any(
            array.ndim != 1 or len(array) != total or array.dtype.kind != _KINDS[name] for name, array in arrays.items()
        )
    ):
        raise ModelError(f"{source}: not a saved model")
    cuts = np.cumsum(sizes)[:-1]
    parts = zip(*(np.split(arrays[name], cuts) for name in _ARRAYS), strict=True)
    return tuple(_tree(source, part, width) for part in parts)


def _tree(source: str, part: tuple[NDArray[Any], ...], width: int) -> Tree:
    left, right, feature, threshold, missing_left, match = part
    node = np.arange(len(left))
    inner = left >= 0
    # Children come after their parent, so every walk ends in a leaf.
    ahead = (left > node) & (left < len(left)) & (right > node) & (right < len(left))
    ok = (inner & ahead) | (~inner & (left == -1))
    bounded = (feature >= 0) & (feature < width) & (match >= 0) & (match <= 1) & ~np.isnan(threshold)
    if not bool((ok & bounded).all()):
        raise ModelError(f"{source}: a tree is damaged")
    return Tree(
        left.astype(np.int32),
        right.astype(np.int32),
        feature.astype(np.int32),
        threshold.astype(np.float64),
        missing_left.astype(bool),
        match.astype(np.float64),
    )
