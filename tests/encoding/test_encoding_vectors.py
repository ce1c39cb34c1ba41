from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[1] / "vectors"
NAMES = ["keys", "values", "hashing", "filters", "hardening", "signs"]


@pytest.fixture(scope="module")
def computed() -> dict[str, object]:
    spec = importlib.util.spec_from_file_location("encoding_vectors", VECTORS / "make_encoding_vectors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: dict[str, object] = module.build()
    return made


@pytest.mark.parametrize("name", NAMES)
def test_encodings_agree_with_the_committed_vectors(name: str, computed: dict[str, object]) -> None:
    """Two owners with different versions must still meet: a definition that moves is a break of the protocol."""
    file = f"encoding_{name}.json"
    assert json.loads((VECTORS / file).read_text(encoding="utf-8")) == computed[file]


def test_every_vector_file_is_checked() -> None:
    """A file that no test reads pins nothing."""
    assert {f"encoding_{name}.json" for name in NAMES} == {path.name for path in VECTORS.glob("encoding_*.json")}
