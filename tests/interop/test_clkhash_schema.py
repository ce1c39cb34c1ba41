"""Linkage schemas of clkhash: what is read, what is refused, what is warned of."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

from unveil.errors import SchemaError
from unveil.interop.clkhash_encoder import UnfitRecord, clkhash_filters, folded
from unveil.interop.clkhash_schema import ClkhashSchema, parse_clkhash_schema
from unveil.records import Column, Records

PLAIN: dict[str, Any] = {
    "version": 3,
    "clkConfig": {"l": 1024, "kdf": {"type": "HKDF"}},
    "features": [
        {"identifier": "id", "ignored": True},
        {
            "identifier": "name",
            "format": {"type": "string"},
            "hashing": {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerToken": 10}},
        },
    ],
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The plain schema with another value at that place."""
    schema = copy.deepcopy(PLAIN)
    at: Any = schema
    *before, last = path.split(".")
    for part in before:
        at = at[int(part)] if part.isdigit() else at.setdefault(part, {})
    at[last] = value
    return schema


def read(schema: dict[str, Any]) -> ClkhashSchema:
    return parse_clkhash_schema(json.dumps(schema), source="linkage.json")


def encoded(schema: ClkhashSchema, *names: str) -> Any:
    records = Records([str(row) for row in range(len(names))], {"name": Column.of(names)})
    return clkhash_filters(records, schema, b"secret")


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ("version", 2, "version"),
        ("clkConfig.l", 0, "clkConfig.l"),
        ("clkConfig.l", "1024", "clkConfig.l"),
        ("clkConfig.kdf.type", "legacy", "clkConfig.kdf.type"),
        ("clkConfig.kdf.salt", "?", "clkConfig.kdf.salt"),
        ("clkConfig.kdf.keySize", 65, "features.1.hashing.hash"),
        ("clkConfig.l", 1000, "features.1.hashing.hash"),
        ("clkConfig.xorFolds", 20, "clkConfig.l"),
        ("features.1.format.type", "text", "features.1.format"),
        ("features.1.format.lang", "de", "features.1.format.lang"),
        ("features.1.hashing.strategy", {}, "features.1.hashing.strategy"),
        ("features.1.hashing.strategy.bitsPerFeature", 5, "features.1.hashing.strategy"),
        ("features.1.hashing.comparison.n", 0, "features.1.hashing.comparison.n"),
        ("features.1.format.pattern", "(", "features.1.format.pattern"),
        ("features.1.hashing.hash", {"type": "blakeHash", "prevent_singularity": True}, "features.1.hashing.hash"),
        ("features", [{"identifier": "id", "ignored": True}], "features"),
        ("features", [{"identifier": str(at), "ignored": True} for at in range(64)], "features"),
    ],
)
def test_a_mistake_is_named_by_its_key(path: str, value: Any, key: str) -> None:
    """Two owners agree on a schema once; whoever mends it must find the place."""
    with pytest.raises(SchemaError) as refused:
        read(changed(path, value))
    assert any(problem.key.startswith(key) for problem in refused.value.problems), refused.value.problems


def test_every_mistake_is_told_at_once() -> None:
    """And not one after the other."""
    schema = changed("clkConfig.kdf.hash", "MD5")
    schema["features"][1]["hashing"]["comparison"]["n"] = 0
    with pytest.raises(SchemaError) as refused:
        read(schema)
    assert ["clkConfig.kdf.hash", "features.1.hashing.comparison.n"] == [one.key for one in refused.value.problems]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 3}', "[" * 100_000])
def test_what_is_no_linkage_schema_is_refused(text: str) -> None:
    """Whatever it is instead."""
    with pytest.raises(SchemaError):
        parse_clkhash_schema(text)


def test_folds_are_those_of_the_documentation_and_the_package_is_warned_of() -> None:
    """The package reads xor_folds, so that it would not fold what its documentation says it folds."""
    documented, by_package = read(changed("clkConfig.xorFolds", 1)), read(changed("clkConfig.xor_folds", 1))
    assert encoded(documented, "ANNA").tolist() == encoded(by_package, "ANNA").tolist()
    assert any('"xor_folds": 1' in line for line in documented.warnings)
    assert () == by_package.warnings
    both = changed("clkConfig.xorFolds", 1)
    both["clkConfig"]["xor_folds"] = 1
    assert () == read(both).warnings
    both["clkConfig"]["xor_folds"] = 2
    with pytest.raises(SchemaError, match="differs from xor_folds"):
        read(both)


def test_folding_lays_halves_on_each_other() -> None:
    """Bit i of a filter folded once is bit i XOR bit i + m/2."""
    filters = np.array([[0b1011, 0b0110]], np.uint64)
    assert [[0b1101]] == folded(filters, 128, 1).tolist()
    assert [[0b1101]] == folded(filters, 128, 2).tolist()


def test_the_fingerprint_is_of_what_decides_about_clks() -> None:
    """A description changes no CLK; a number of bits changes them all."""
    plain = read(PLAIN)
    assert plain.fingerprint() == read(changed("features.1.format.description", "a name")).fingerprint()
    assert plain.fingerprint() != read(changed("features.1.hashing.strategy", {"bitsPerToken": 11})).fingerprint()
    assert plain.fingerprint() != read(changed("features.0.identifier", "key")).fingerprint()


@pytest.mark.parametrize(
    ("form", "value", "said"),
    [
        ({"type": "string", "encoding": "ascii"}, "JOSÉ", "ASCII"),
        ({"type": "string", "case": "upper"}, "Anna", "upper case"),
        ({"type": "string", "minLength": 9}, "ANNA", "shorter than 9"),
        ({"type": "string", "maxLength": 3}, "ANNA", "longer than 3"),
        ({"type": "string", "pattern": "[a-z]+"}, "ANNA", "pattern"),
        ({"type": "integer"}, "ANNA", "whole number"),
        ({"type": "integer", "minimum": 3}, "2", "less than 3"),
        ({"type": "integer", "maximum": 3}, "4", "more than 3"),
        ({"type": "date", "format": "%Y-%m-%d"}, "01.02.2003", "no date"),
        ({"type": "enum", "values": ["M", "F"]}, "X", "none of the 2"),
    ],
)
def test_a_value_that_does_not_fit_is_named_by_its_record(form: dict[str, Any], value: str, said: str) -> None:
    """The real package refuses these, too: encoded all the same, the two sides would differ in silence."""
    with pytest.raises(UnfitRecord, match=said) as refused:
        encoded(read(changed("features.1.format", form)), *(["5"] if form["type"] == "integer" else []), value)
    assert "name" == refused.value.column
    assert value not in str(refused.value)


def test_numbers_that_are_none_are_named_too() -> None:
    """They show only as tokens are made."""
    schema = changed("features.1.hashing.comparison", {"type": "numeric", "thresholdDistance": 1, "resolution": 2})
    with pytest.raises(UnfitRecord, match="is no number") as refused:
        encoded(read(schema), "1.5", "inf")
    assert 1 == refused.value.record
