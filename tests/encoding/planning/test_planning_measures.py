"""Fill, chances of agreement and blocks are what the encoder and a plain count say."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.planning.attribute_facts import attribute_facts
from unveil.encoding.planning.blocks import BlockingTable
from unveil.encoding.planning.facts import sample_of_rows, some_records
from unveil.encoding.planning.fill import WANTED_FILL, expected_fill, fitting_h, record_fill, token_counts
from unveil.encoding.planning.strangers import ChanceOfAgreement, PersonMarks, agreement
from unveil.lab.synthetic import generate
from unveil.records import Column, Records
from unveil.schema import Attribute, BlockingKey, ProtocolSettings, Schema, built_in

KEY = OwnerKey(bytes(range(32)))
CLINIC = built_in("clinic")
PEOPLE = generate(records=600, seed=3, layout="clinic").a


def records(**columns: list[str]) -> Records:
    count = len(next(iter(columns.values())))
    return Records([str(row) for row in range(count)], {name: Column.of(values) for name, values in columns.items()})


def test_fill_is_foretold_without_a_key() -> None:
    """Within what chance does to 600 filters."""
    filters = Encoder(CLINIC, KEY, project="p").attribute_level(PEOPLE)
    for at, attribute in enumerate(CLINIC.attributes):
        counts = token_counts(PEOPLE.columns[attribute.name], attribute)
        measured = np.bitwise_count(filters[counts > 0, at]).sum(axis=1).mean() / CLINIC.layer_a.m
        # Few different tokens (of a sex, say) have the luck of their draws.
        slack = 0.06 if PEOPLE.columns[attribute.name].counts().size < 10 else 0.01
        assert measured == pytest.approx(expected_fill(counts, m=CLINIC.layer_a.m, h=attribute.h), abs=slack)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=40), st.sampled_from([64, 256, 1024]))
def test_no_other_h_comes_nearer_to_the_wanted_fill(counts: list[int], m: int) -> None:
    """One more or one less is never better."""
    tokens = np.array(counts)
    h = fitting_h(tokens, m=m)

    def off(one: int) -> float:
        return abs(expected_fill(tokens, m=m, h=one) - WANTED_FILL)

    assert 1 <= h <= 512
    if tokens.any():
        assert all(off(h) <= off(one) for one in (h - 1, h + 1) if 1 <= one <= 512)


def test_record_filters_are_measured_for_every_encoding() -> None:
    """Where bits come from the attributes' filters, the layer's own h changes nothing, and none is advised."""
    clk = record_fill(PEOPLE, CLINIC)
    assert (CLINIC.layer_r.h, True) == (clk.fitting_h, 0.48 < clk.fill < 0.52)
    rbf = CLINIC.model_copy(update={"layer_r": CLINIC.layer_r.model_copy(update={"encoding": "rbf"})})
    assert None is record_fill(PEOPLE, rbf).fitting_h
    assert 0.3 < record_fill(PEOPLE, rbf).fill < 0.5


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=40))
def test_agreement_is_the_share_of_pairs_that_agree(values: list[str]) -> None:
    """Counted one by one; never 0, since few records cannot prove that."""
    pairs = [one == two for at, one in enumerate(values) for two in values[:at]]
    found = agreement(Column.of(values).counts())
    assert max(sum(pairs), 0.5) / len(pairs) == pytest.approx(found.chance)
    assert (sum(pairs) < 10) == found.at_most


def test_a_chance_is_one() -> None:
    """Between 0 and 1, and above 0."""
    for wrong in (0.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="chance"):
            ChanceOfAgreement(wrong, at_most=False)


def test_people_who_stand_in_a_register_twice_do_not_make_a_number_common() -> None:
    """Their records agree because they are one person, not by chance."""
    people = [str(person) for person in range(300) for _ in range(2)]
    given_names = [f"{'abcdefghijklmnopqrst'[int(person) % 20]}x" for person in people]
    register = records(id_number=people, given_name=given_names, date_of_birth=[f"1950010{int(p) % 9}" for p in people])
    schema = Schema(
        name="twice", attributes=tuple(Attribute(name=name) for name in ("id_number", "given_name", "date_of_birth"))
    )
    naive = agreement(register.columns["id_number"].counts()).chance
    marks = PersonMarks.of(register, schema)
    found = attribute_facts(register, schema.attribute("id_number"), marks).agreement
    assert (True, True) == (found.at_most, found.chance < naive / 100)
    common = attribute_facts(register, schema.attribute("given_name"), marks).agreement
    assert 1 / 20 == pytest.approx(common.chance, rel=0.35)


def test_a_weight_is_never_negative_and_never_boundless() -> None:
    """The schema takes no negative weight, and no register proves that a value is unique in the world."""
    register = records(a=["x"] * 50, id_number=[str(one) for one in range(50)])
    schema = Schema(name="s", attributes=(Attribute(name="a"), Attribute(name="id_number")))
    facts = [attribute_facts(register, one, PersonMarks()) for one in schema.attributes]
    assert 0 == facts[0].weight("street")
    assert 11 < facts[1].weight("id_number") <= 20


values = st.lists(st.tuples(st.sampled_from(["", "Ann", "ann ", "Bob"]), st.sampled_from(["", "1", "2"])), max_size=12)


@given(values.filter(bool), st.none() | values, st.sampled_from([1, 4, 1000]))
def test_blocks_are_those_of_a_plain_count(
    own: list[tuple[str, str]], other: list[tuple[str, str]] | None, most: int
) -> None:
    """Pairs, the largest block, blocks passed over, records reached."""
    schema = Schema(
        name="s",
        attributes=(Attribute(name="name"), Attribute(name="year")),
        blocking=(BlockingKey(fields=("name", "year")),),
        protocol=ProtocolSettings(max_block=most),
    )
    sides = [
        None if side is None else records(name=[name for name, _ in side], year=[year for _, year in side])
        for side in (own, other)
    ]
    assert sides[0] is not None
    blocks = BlockingTable(sides[0], sides[1], schema).blocks(schema.blocking[0])

    keys = [
        [(n.strip().lower(), y) if n and y else None for n, y in side]
        for side in (own, own if other is None else other)
    ]
    size = {key: keys[0].count(key) * keys[1].count(key) for key in keys[0] if key}
    pairs = [
        (i, j)
        for (i, one), (j, two) in product(enumerate(keys[0]), enumerate(keys[1]))
        if one and one == two and size[one] <= most and (other is not None or i != j)
    ]
    assert len(pairs) == blocks.pairs
    assert max(size.values(), default=0) == blocks.largest
    assert sum(one > most for one in size.values()) == blocks.skipped
    assert [key is not None and size[key] <= most for key in keys[0]] == blocks.reached.tolist()
    assert np.mean([bool(key) for key in keys[0]]) == pytest.approx(blocks.has)


def test_a_sample_keeps_rows_together() -> None:
    """A person's values stay that person's."""
    rows = sample_of_rows(len(PEOPLE), 50)
    some = some_records(PEOPLE, rows)
    assert (50, sorted(set(rows.tolist()))) == (len(rows), rows.tolist())
    for at, row in enumerate(rows.tolist()):
        assert (PEOPLE.ids[row], PEOPLE.columns["street"][row]) == (some.ids[at], some.columns["street"][at])
    assert list(range(7)) == sample_of_rows(7, 50).tolist()
