"""A saved M_A is numbers: it comes back the same, and nothing else comes back as one."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil.errors import ModelError
from unveil.files.arrays import read_arrays, write_arrays
from unveil.models.forest import Forest
from unveil.models.saved import feature_names, forest_arrays, forest_of
from unveil.schema import Schema, built_in

SCHEMA = built_in()
WIDTH = len(feature_names(SCHEMA))


def save_forest(path: Path, forest: Forest, schema: Schema) -> None:
    write_arrays(path, forest_arrays(forest, schema))


def load_forest(path: Path, schema: Schema) -> Forest:
    return forest_of(read_arrays(path), schema, source=str(path))


@pytest.fixture
def forest() -> Forest:
    rng = np.random.default_rng(0)
    features = rng.random((300, WIDTH))
    features[rng.random(features.shape) < 0.1] = np.nan
    g = np.nan_to_num(features[:, 0]) + np.nan_to_num(features[:, 2]) > 1
    grown = Forest(SCHEMA.protocol.forest)
    for _ in range(3):
        grown = grown.updated(features, g, np.ones(len(g)))
    return grown


def test_a_forest_comes_back_and_decides_the_same(tmp_path: Path, forest: Forest) -> None:
    path = tmp_path / "model.npz"
    save_forest(path, forest, SCHEMA)
    again = load_forest(path, SCHEMA)
    features = np.random.default_rng(1).random((500, WIDTH))
    features[::7, 3] = np.nan
    before, after = forest.predict(features), again.predict(features)
    assert np.array_equal(before.g, after.g)
    assert np.array_equal(before.p, after.p)
    grown = again.updated(features, before.g, before.p)
    assert forest.updated(features, before.g, before.p).updates == grown.updates
    assert len(forest.trees) + 10 == len(grown.trees)


def test_a_pickle_in_the_file_is_not_run(tmp_path: Path, forest: Forest) -> None:
    """The classic attack on saved models: an object whose unpickling executes code."""
    witness = tmp_path / "witness"

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (witness,))

    path = tmp_path / "model.npz"
    save_forest(path, forest, SCHEMA)
    arrays = dict(np.load(path))
    arrays["left"] = np.array([Bomb()], dtype=object)
    np.savez(path, **arrays)
    with pytest.raises(ModelError):
        load_forest(path, SCHEMA)
    assert not witness.exists()
    with np.load(path, allow_pickle=True) as data:  # the control: unpickling would have run it
        _ = data["left"]
    assert witness.exists()


def damaged(**changes: Any) -> Any:
    return lambda arrays: arrays | changes


@pytest.mark.parametrize(
    "damage",
    [
        lambda a: a | {"left": np.zeros_like(a["left"])},  # children point back: a walk would never end
        lambda a: a | {"right": a["right"] + 10_000},
        lambda a: a | {"feature": a["feature"] + 1_000},
        lambda a: a | {"match": a["match"] + 1},
        lambda a: a | {"threshold": a["threshold"] * np.nan},
        lambda a: a | {"sizes": a["sizes"] + 1},
        lambda a: a | {"left": a["left"].astype(float)},
        lambda a: {name: value for name, value in a.items() if name != "match"},
        lambda a: a | {"about": np.array("not json")},
        lambda a: a | {"about": np.array(json.dumps({"format": "other"}))},
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, forest: Forest, damage: Any) -> None:
    path = tmp_path / "model.npz"
    save_forest(path, forest, SCHEMA)
    arrays = dict(np.load(path))
    np.savez(path, **damage(arrays))
    with pytest.raises(ModelError):
        load_forest(path, SCHEMA)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"hello", bytes(1000)])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(ModelError):
        load_forest(path, SCHEMA)


@pytest.mark.slow
def test_a_file_that_would_expand_without_end_is_refused_before_it_does(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(20 << 20, np.int64))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("left.npy", buffer.getvalue())
    assert path.stat().st_size < 1 << 20
    with pytest.raises(ModelError, match="too large"):
        load_forest(path, SCHEMA)


def test_a_model_of_other_attributes_is_refused(tmp_path: Path, forest: Forest) -> None:
    path = tmp_path / "model.npz"
    save_forest(path, forest, SCHEMA)
    fewer = SCHEMA.model_copy(update={"attributes": SCHEMA.attributes[:-1]})
    with pytest.raises(ModelError, match="other attributes"):
        load_forest(path, fewer)
