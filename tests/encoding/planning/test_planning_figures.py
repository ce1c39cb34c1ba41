"""What a schema does with records, and what is warned of."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from unveil.encoding.planning.cautions import cautions
from unveil.encoding.planning.figures import SchemaFigures, schema_figures
from unveil.lab.synthetic import generate
from unveil.records import Column, Records
from unveil.schema import Attribute, BlockingKey, Hardening, Schema, built_in

slow = pytest.mark.slow  # each trial of keys takes a while

CLINIC = built_in("clinic")
PEOPLE = generate(records=1200, seed=3, layout="clinic")


def changed(name: str, **settings: Any) -> Schema:
    """The clinic's schema with other settings of one attribute."""
    attributes = tuple(a.model_copy(update=settings) if a.name == name else a for a in CLINIC.attributes)
    return CLINIC.model_copy(update={"attributes": attributes})


def with_keys(*keys: tuple[str, ...]) -> Schema:
    return CLINIC.model_copy(update={"blocking": tuple(BlockingKey(fields=fields) for fields in keys)})


def with_column(name: str, values: list[str]) -> Records:
    return Records(PEOPLE.a.ids, {**PEOPLE.a.columns, name: Column.of(values)})


@cache
def figures_of_clinic() -> SchemaFigures:
    """What the clinic's own schema does with these people, by which other schemas are judged."""
    return schema_figures(PEOPLE.a, CLINIC)


def warned(schema: Schema, records: Records = PEOPLE.a, other: Records | None = None) -> list[str]:
    return cautions(schema_figures(records, schema, other=other))


@slow
def test_nothing_is_warned_of_where_all_is_well() -> None:
    """The built-in schema fits the people that it was made from."""
    assert [] == cautions(figures_of_clinic())
    assert [] == warned(CLINIC, other=PEOPLE.b)


@slow
@pytest.mark.parametrize("h", [5, 40])
def test_filters_that_are_too_empty_or_too_full_are_warned_of(h: int) -> None:
    """With the h that would do."""
    (warning,) = warned(changed("first_name", h=h))
    assert warning.startswith("first_name: filters are ")
    assert warning.endswith("h = 19 makes it 40%")
    layer = CLINIC.layer_r.model_copy(update={"h": h})
    (warning,) = warned(CLINIC.model_copy(update={"layer_r": layer}))
    assert warning.startswith("layer_r: filters are ")
    assert warning.endswith("h = 27 makes it 50%")


@slow
def test_an_attribute_that_is_mostly_missing_is_warned_of() -> None:
    """In either register; and one of which normalisation leaves nothing."""
    towns = PEOPLE.a.columns["city"].values()
    gaps = with_column("city", [town if row % 5 < 2 else "" for row, town in enumerate(towns)])
    assert ["city: missing in 60% of the records; it will seldom help"] == warned(CLINIC, gaps)
    expected = "city: missing in 60% of the records of the other register; it will seldom help"
    assert expected in warned(CLINIC, PEOPLE.a, gaps)
    nothing = warned(changed("city", normalise=("digits-only",)))
    assert "city: no record has a value after normalisation; look at normalise, or leave it out" in nothing


@slow
def test_words_in_the_place_of_a_missing_value_are_warned_of() -> None:
    """Two people whose town is unknown do not live together."""
    towns = PEOPLE.a.columns["city"].values()
    filled = with_column("city", [town if row % 4 else "unknown" for row, town in enumerate(towns)])
    assert any(one.startswith("city: 25% of the values stand for a missing one") for one in warned(CLINIC, filled))


@slow
@pytest.mark.parametrize(("weight", "expected"), [(8.48, False), (4.0, True), (13.0, True), (6.0, False)])
def test_a_weight_far_from_the_data_is_warned_of(weight: float, *, expected: bool) -> None:
    """By more than 3."""
    found = warned(changed("first_name", weight=weight))
    assert expected == any("weights are far from what the data say: first_name" in one for one in found)


@slow
def test_a_weight_is_not_too_high_where_too_few_agree_to_tell() -> None:
    """In a small register nobody shares a street with anybody; that says that the weight is high, not how high."""
    streets = with_column("street", [f"{row} {'abcdefghij'[row % 10] * 9} road" for row in range(len(PEOPLE.a))])
    (street,) = [one for one in schema_figures(streets, CLINIC).attributes if one.name == "street"]
    assert (True, True) == (street.weight_is_bound, 17 < street.weight_by_data <= 20)
    assert [] == warned(changed("street", weight=29.0), streets)
    (warning,) = warned(changed("street", weight=2.0), streets)
    assert warning.endswith("or more")


@slow
def test_common_keys_are_warned_of() -> None:
    """Too many pairs for each record, or blocks so large that they are passed over."""
    found = warned(with_keys(("sex",), ("date_of_birth",)))
    assert any("key sex: " in one and "pairs for each record; add a field to the key" in one for one in found)
    schema = with_keys(("sex",), ("date_of_birth",))
    protocol = schema.protocol.model_copy(update={"max_block": 1000})
    found = warned(schema.model_copy(update={"protocol": protocol}))
    assert "key sex: 2 blocks hold more pairs than max_block and will be passed over; add a field to the key" in found


def test_no_key_at_all_is_warned_of() -> None:
    """Every pair is compared then, and nobody is lost."""
    figures = schema_figures(PEOPLE.a, with_keys())
    assert (None, None, {}) == (figures.lost, figures.lost_worse, dict(figures.lost_to))
    (warning,) = cautions(figures)
    assert warning.startswith("there is no blocking key: all 1,440,000 pairs are compared")


@slow
def test_keys_that_lose_people_are_warned_of() -> None:
    """With whom they lose most."""
    found = warned(with_keys(("street", "city")))
    assert any("the keys lose about " in one and "add a key that does without" in one for one in found)
    nobody = warned(
        changed("sex", normalise=("digits-only",)).model_copy(update={"blocking": with_keys(("sex",)).blocking})
    )
    assert "key sex: no record has it" in nobody


@slow
def test_worse_registers_lose_more() -> None:
    """Keys of one attribute each are hit by every error."""
    figures = figures_of_clinic()
    assert figures.lost is not None
    assert figures.lost_worse is not None
    assert 0 < figures.lost < figures.lost_worse
    assert 1 == figures.lost_to["given and family name exchanged"]


@slow
def test_figures_are_json_and_say_where_roles_come_from() -> None:
    """Programs read them."""
    data = json.loads(json.dumps(schema_figures(PEOPLE.a, changed("sex", role="sex"), other=PEOPLE.b).as_json()))
    assert (1200, 1200, 6, 3) == (data["records"], data["records_other"], len(data["attributes"]), len(data["keys"]))
    assert {"sex": True, "city": False} == {
        one["name"]: one["role_given"] for one in data["attributes"] if one["name"] in {"sex", "city"}
    }
    assert "town" == data["attributes"][5]["role"]


@slow
def test_hardening_does_not_change_the_fill_that_h_decides() -> None:
    """Balanced filters are half full by design, which says nothing about h."""
    layer = CLINIC.layer_r.model_copy(update={"hardening": (Hardening(method="balance"),)})
    assert figures_of_clinic().fill == schema_figures(PEOPLE.a, CLINIC.model_copy(update={"layer_r": layer})).fill


def test_records_that_share_nothing_but_gaps_are_measured() -> None:
    """One record, and values that are all missing, are files too."""
    schema = Schema(
        name="s", attributes=(Attribute(name="a"), Attribute(name="b")), blocking=(BlockingKey(fields=("a",)),)
    )
    one = Records(["1"], {"a": Column.of([""]), "b": Column.of(["x"])})
    figures = schema_figures(one, schema)
    assert (1.0, 1.0) == (figures.attributes[0].missing, figures.lost)
    assert any("no record has it" in said for said in cautions(figures))
