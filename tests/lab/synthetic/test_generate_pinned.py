"""The bytes of each layout, pinned: figures were measured on exactly these people."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from unveil.lab.synthetic import Rates, generate, write

PINNED = [
    ({"records": 400, "seed": 1}, "d22c944acb295056f955e63169383b085d30c56d6530bf5db10eaaecf3cfc005"),
    (
        {"records": 3000, "overlap": 0.5, "errors": 2, "seed": 7},
        "f2d833e6829630d665e2f03ced37ad98cd7c4449f3cd0fce259a59b50f20de19",
    ),
    (
        {"records": 700, "overlap": 0.4, "errors": 0, "seed": 3, "rates": Rates(year_of_birth=0.03)},
        "747ee01f304c7d235783278ddb9d68cb0a40ede1c8d5ae72aef7b6d92787fc48",
    ),
    (
        {"records": 3000, "overlap": 0.5, "errors": 1, "seed": 7, "layout": "clinic"},
        "41888871dbc5cf2adfa0753e47515f565359d00bd64410d51613acb3ff918b8b",
    ),
]


@pytest.mark.parametrize(("arguments", "digest"), PINNED)
def test_layouts_give_the_bytes_they_always_gave(tmp_path: Path, arguments: dict[str, Any], digest: str) -> None:
    """Models learnt on these people and figures measured on them stay comparable."""
    write(generate(**arguments), tmp_path)
    files = (tmp_path / name for name in ("a.csv", "b.csv", "truth.csv"))
    assert digest == hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
