"""A proposed schema is right for generated people of every kind: roles, fill, weights, keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import unveil
from unveil.encoding.planning.blocks import BlockingTable
from unveil.encoding.planning.cautions import cautions
from unveil.encoding.planning.figures import SchemaFigures, schema_figures
from unveil.encoding.planning.key_choice import FEWEST, MOST
from unveil.encoding.planning.proposal import ProposedSchema, attribute_names, propose
from unveil.encoding.planning.written import schema_text
from unveil.errors import SettingError
from unveil.lab.synthetic import generate
from unveil.lab.synthetic.population import Registers
from unveil.lab.worlds import draw_design, make_world
from unveil.records import Column, Records
from unveil.schema import Schema, built_in, parse

slow = pytest.mark.slow  # a proposal for thousands of people takes a while

LAYOUTS = ("voter", "clinic")
#: Roles whose attributes are called otherwise.
CALLED = {
    "first_name": "given_name", "last_name": "family_name", "year_of_birth": "birth_year", "city": "town",
    "zip": "postcode", "place_of_birth": "birthplace", "date_of_birth": "birth_date", "birth_month": "birth_part",
    "birth_day": "birth_part", "road": "street", "occupation": "other",
}  # fmt: skip


@cache
def people(layout: str) -> Registers:
    """Those that most proposals are made for."""
    return generate(records=3000, seed=5, layout=layout)


def columns_of(records: Records) -> dict[str, Column]:
    return {"record_id": Column.of(records.ids), **records.columns}


@cache
def proposed_for(layout: str) -> ProposedSchema:
    """The proposal for one owner's generated people; it follows from them alone, so one will do for every test."""
    return propose(columns_of(people(layout).a), name=f"{layout}-two")


@cache
def figures_for(layout: str) -> SchemaFigures:
    """What that proposal does with those people."""
    return schema_figures(people(layout).a, proposed_for(layout).schema)


def roles(proposed: ProposedSchema) -> dict[str, str | None]:
    return {attribute.name: attribute.role for attribute in proposed.schema.attributes}


def expected_roles(records: Records) -> dict[str, str]:
    return {name: CALLED.get(name, name) for name in records.columns}


def text_of(proposed: ProposedSchema, figures: SchemaFigures) -> str:
    return schema_text(proposed, figures, source="people.csv", other=None, unreadable={"when": "of type date32[day]"})


def found_by_keys(a: Records, b: Records, truth: NDArray[np.int64], schema: Schema) -> float:
    """The share of true pairs that share a key."""
    table, found = BlockingTable(a, b, schema), np.zeros(len(truth), bool)
    for key in schema.blocking:
        numbers = table.numbers(key)
        left, right = numbers[: len(a)][truth[:, 0]], numbers[len(a) :][truth[:, 1]]
        found |= (left >= 0) & (left == right)
    return float(found.mean())


@slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_generated_people_get_a_schema_without_a_caution(layout: str) -> None:
    """Roles, fill (records half, attributes two fifths), weights, few keys that lose next to nobody, by truth too."""
    a, b, proposed = people(layout).a, people(layout).b, proposed_for(layout)
    assert expected_roles(a) == roles(proposed)
    assert FEWEST <= len(proposed.schema.blocking) <= MOST
    figures = figures_for(layout)
    assert [] == cautions(figures)
    assert all(0.35 <= attribute.fill <= 0.45 for attribute in figures.attributes)
    assert 0.45 <= figures.fill <= 0.55
    assert (True, True) == (figures.lost is not None and figures.lost < 0.01, max(figures.lost_to.values()) < 0.05)
    assert found_by_keys(a, b, people(layout).truth, proposed.schema) > 0.98


@slow
@pytest.mark.parametrize("seed", [20, 28, 31, 38, 48])
def test_worlds_of_every_kind_get_their_roles_and_fill(seed: int) -> None:
    """Clean and dirty, with gaps, few names, and people who stand there twice."""
    world = make_world(draw_design(seed, largest=3000))
    proposed = propose(columns_of(world.a))
    expected = expected_roles(world.a)
    if {"birth_date", "birth_year"} <= set(expected.values()):
        del expected["year_of_birth"]
    assert expected == roles(proposed)
    figures = schema_figures(proposed.records, proposed.schema)
    assert all(0.35 <= attribute.fill <= 0.45 for attribute in figures.attributes)
    assert 0.45 <= figures.fill <= 0.55
    ours = found_by_keys(world.a, world.b, world.truth, proposed.schema)
    assert ours > 0.97
    assert ours >= found_by_keys(world.a, world.b, world.truth, world.schema)


@slow
def test_roles_follow_from_contents_where_names_say_nothing() -> None:
    """A register whose columns are numbered."""
    opaque = {f"c{at}": column for at, column in enumerate(people("clinic").a.columns.values())}
    proposed = propose({"record_id": Column.of(people("clinic").a.ids), **opaque})
    found = {name: proposed.columns[name].role for name in opaque}
    expected = dict(zip(opaque, expected_roles(people("clinic").a).values(), strict=True))
    assert {**expected, "c5": "other"} == found  # towns are called by any name
    assert {"contents"} == {proposed.columns[name].by for name in opaque}


@slow
def test_the_weights_are_near_those_that_were_made_by_hand() -> None:
    """The built-in schema's, from generated people and their true errors."""
    by_hand = built_in("clinic")
    for attribute in proposed_for("clinic").schema.attributes:
        # In a small register a household is a larger share of all, so that a street seems more common; and streets
        # that were written out by one and not by another of a household are the same here.
        slack = 3.5 if attribute.role == "street" else 1
        assert by_hand.attribute(attribute.name).weight == pytest.approx(attribute.weight, abs=slack)
        assert by_hand.attribute(attribute.name).h == pytest.approx(attribute.h, abs=1)


@slow
def test_the_file_holds_the_schema_and_explains_it() -> None:
    """What is read back is what was proposed, every attribute and every key with its reasons."""
    proposed = proposed_for("clinic")
    text = text_of(proposed, figures_for("clinic"))
    assert proposed.schema == parse(text)
    assert "clinic-two" == parse(text).name
    assert "#   when: of type date32[day]" in text
    assert "written year first here; the other owner may write it otherwise" in text
    assert len(proposed.schema.blocking) == text.count("of the records have it")
    assert max(map(len, text.splitlines())) <= 130


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w.@-]+", text.casefold()))


#: Words that the code itself has, such as the surname Fields; the list of common names is not among them.
OUR_OWN = words(
    "".join(
        path.read_text(encoding="utf-8")
        for room in ("schema", "encoding/planning")
        for path in (Path(unveil.__file__).parent / room).glob("*.py")
        if path.name != "common_names.py"
    )
)


@slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_value_of_a_record_is_in_the_file(layout: str) -> None:
    """It goes to the other owner, and to units."""
    said = words(text_of(proposed_for(layout), figures_for(layout)))
    for column in people(layout).a.columns.values():
        values = {word for value in column.distinct for word in words(value) if len(word) > 3}
        assert set() == (said & values) - OUR_OWN


ODD = ["Vor name", "Straße", "日本", "a\nb", 'say "x"', "x\x7fy", "1st", "a", "A", "back\\slash"]


@given(st.lists(st.sampled_from(ODD) | st.text(min_size=1, max_size=6), min_size=1, max_size=12))
def test_any_columns_get_names_that_a_schema_takes(columns: list[str]) -> None:
    """Each its own, in plain letters."""
    names = attribute_names(columns, ["street"] * len(columns))
    assert len(columns) == len(set(names))
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)


@settings(max_examples=8)
@given(st.permutations(ODD))
def test_columns_of_any_name_survive_the_file(names: list[str]) -> None:
    """Quotes, line breaks and control characters in a header break no TOML."""
    some = [f"{'abcdefghij'[at % 10]}{'klmnopqrst'[at // 10]}" for at in range(100)]
    columns = {"record_id": Column.of([str(row) for row in range(100)])}
    columns |= {name: Column.of(some[at:] + some[:at]) for at, name in enumerate(names[:3])}
    proposed = propose(columns)
    figures = schema_figures(proposed.records, proposed.schema)
    assert proposed.schema == parse(text_of(proposed, figures))


def renamed(columns: Mapping[str, Column], **names: str) -> dict[str, Column]:
    return {names.get(name, name): column for name, column in columns.items()}


@slow
def test_two_files_are_matched_by_names_and_roles() -> None:
    """Each owner calls columns what it likes; what one of them lacks cannot be compared."""
    a = columns_of(people("clinic").a)
    b = renamed(columns_of(people("clinic").b), first_name="Vorname", city="Wohnort", record_id="nr")
    dates = [".".join(reversed(value.split("-"))) for value in people("clinic").b.columns["date_of_birth"].values()]
    del b["sex"]
    proposed = propose(a, {**b, "date_of_birth": Column.of(dates)})
    assert "the other file has no such column" == proposed.columns["sex"].left_out
    assert ("Vorname", "Wohnort", "street") == tuple(proposed.elsewhere[n] for n in ("first_name", "city", "street"))
    assert "date" == proposed.schema.attribute("date_of_birth").type
    assert proposed.other is not None
    expected = people("clinic").b.columns["date_of_birth"].values()
    assert expected == proposed.other.columns["date_of_birth"].values()
    figures = schema_figures(proposed.records, proposed.schema, other=proposed.other)
    text = schema_text(proposed, figures, source="a.csv", other="b.csv", unreadable={})
    assert 'other_columns = ["Vorname"]' in text
    assert 'other_ids = ["nr"]' in text
    assert proposed.schema == parse(text)


def test_a_file_without_marks_of_people_is_refused() -> None:
    """A schema of nothing would link nobody."""
    with pytest.raises(SettingError, match="no column is of use"):
        propose({"id": Column.of(["1", "2", "3"]), "flag": Column.of(["y", "y", "y"])})


@slow
def test_a_file_without_rare_values_gets_a_schema_without_keys() -> None:
    """It says so, and that every pair is compared."""
    columns = {name: people("clinic").a.columns[name] for name in ("sex", "city")}
    proposed = propose({"record_id": Column.of(people("clinic").a.ids), **columns})
    figures = schema_figures(proposed.records, proposed.schema)
    text = text_of(proposed, figures)
    assert ((), None) == (parse(text).blocking, figures.lost)
    assert "every pair is compared" in text


@slow
def test_the_same_file_gets_the_same_schema() -> None:
    """Owners compare fingerprints."""
    once = proposed_for("voter").schema.fingerprint()
    assert once == propose(columns_of(people("voter").a), name="voter-two").schema.fingerprint()


@slow
def test_stages_name_columns_and_nothing_else() -> None:
    """They are shown while people wait."""
    heard: list[str] = []
    propose(columns_of(people("clinic").a), stage=heard.append)
    assert [f"looking at {name}" for name in columns_of(people("clinic").a)] + [
        "counting q-grams",
        "trying blocking keys",
    ] == heard
