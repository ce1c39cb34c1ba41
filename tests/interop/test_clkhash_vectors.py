"""CLKs are clkhash's, byte for byte: twenty schemas, a thousand people, made by the real package."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from unveil.interop import clkhash_encoder
from unveil.interop.base64_filters import texts_of
from unveil.interop.bit_order import MOST
from unveil.interop.clkhash_encoder import clkhash_filters
from unveil.interop.clkhash_schema import parse_clkhash_schema
from unveil.records import Column, Records

VECTORS = Path(__file__).parents[1] / "vectors" / "interop"
MADE = json.loads((VECTORS / "clkhash.json").read_text(encoding="utf-8"))
#: Features whose identifier is no column of the people: where their values come from, as benchmarks/clkhash_schemas.py.
ELSEWHERE = {"children_too": "children", "phone_number": "phone"}


@cache
def people() -> list[dict[str, str]]:
    with (VECTORS / "people.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def encoded(schema: dict[str, Any]) -> list[str]:
    """Our CLKs of all people, in base64."""
    read = parse_clkhash_schema(json.dumps(schema))
    columns = {}
    for _, feature in read.hashed:
        values = [row[ELSEWHERE.get(feature.identifier, feature.identifier)] for row in people()]
        if feature.identifier == "phone_number":
            values = [value or "0" for value in values]
        columns[feature.identifier] = Column.of(values)
    records = Records([row["record_id"] for row in people()], columns)
    filters = clkhash_filters(records, read, MADE["secret"].encode())
    return list(texts_of(filters, read.config.length, MOST))


@pytest.mark.parametrize("number", range(20))
def test_a_thousand_clks_are_those_of_the_real_package(number: int) -> None:
    """A single other bit, and a record of one tool is no longer found by the other."""
    made = MADE["schemas"][number]
    ours = encoded(made["schema"])
    assert made["first"] == ours[: len(made["first"])]
    digests = [
        hashlib.sha256(b"".join(map(base64.b64decode, ours[at : at + 100]))).hexdigest()
        for at in range(0, len(ours), 100)
    ]
    assert made["sha256_by_hundred"] == digests


def test_the_vectors_are_of_twenty_schemas_and_a_thousand_people() -> None:
    """What is shown is what was asked for."""
    assert 20 == len({json.dumps(one["schema"]) for one in MADE["schemas"]})
    assert 1000 == len(people())
    assert all(10 == len(one["sha256_by_hundred"]) for one in MADE["schemas"])
    assert MADE["made_by"].startswith("clkhash 0.18")


@pytest.mark.parametrize("number", [0, 5, 13, 15])
def test_hashing_in_several_goes_changes_nothing(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays bounded where a schema asks for many positions of many tokens."""
    made = MADE["schemas"][number]
    monkeypatch.setattr(clkhash_encoder, "MOST_PLACES", 1000)
    ours = encoded(made["schema"])
    digest = hashlib.sha256(b"".join(map(base64.b64decode, ours[:100]))).hexdigest()
    assert made["sha256_by_hundred"][0] == digest


def test_another_secret_gives_other_clks() -> None:
    """Otherwise the secret would protect nothing."""
    read = parse_clkhash_schema(json.dumps(MADE["schemas"][0]["schema"]))
    names = [feature.identifier for _, feature in read.hashed]
    records = Records(["1"], {name: Column.of([people()[0][name]]) for name in names})
    ours, others = (clkhash_filters(records, read, secret) for secret in (MADE["secret"].encode(), b"another"))
    assert not (ours == others).all()
