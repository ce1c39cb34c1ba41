"""Two files of encodings at one place: the models decide, and say how good their links are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from two_registers import SCHEMA, compare_of, encoder, f1_of, pairs, people, with_rows_again

from unveil.errors import SettingError
from unveil.files.encoded import Encodings
from unveil.one_place.encoded_files import check_alike, record_unit_on, schema_of
from unveil.one_place.linked import LinkedRecords, linked_by
from unveil.one_place.same_file import same_records
from unveil.one_place.tables import links_table, persons_table
from unveil.records import Column, Records

METADATA = {
    "fingerprint": "f",
    "attributes": ",".join(SCHEMA.names),
    "blocking": ";".join(key.name for key in SCHEMA.blocking),
    "encoding": SCHEMA.layer_r.model_dump_json(),
}


def encoded(records: Records) -> Encodings:
    made = encoder()
    return Encodings(records.ids, made.record_level(records), made.m, made.blocking_keys(records), METADATA)


def linked(left: Encodings, right: Encodings) -> LinkedRecords:
    schema = schema_of(left)
    return linked_by(record_unit_on(left, right, schema, compare=compare_of(schema)))


def test_models_find_the_people_and_the_interval_holds_the_truth() -> None:
    """What is not known otherwise: how good the links are."""
    registers = people()
    found = linked(encoded(registers.a), encoded(registers.b))
    f1 = f1_of(found, registers)
    assert f1 > 0.93
    assert found.estimate is not None
    low, _, high = found.estimate.f1
    assert low <= f1 <= high
    assert not found.estimate.trusted, "no pair was opened that could confirm it"
    assert found.probability is not None
    assert (found.probability >= 0.5).all()
    assert (np.diff(found.probability) <= 0).all(), "the surest links come first"
    assert () == found.warnings


def test_the_same_files_give_the_same_links() -> None:
    """A result that nobody can repeat cannot be checked."""
    sides = encoded(people().a), encoded(people().b)
    assert links_table(linked(*sides), (sides[0].ids, sides[1].ids)).equals(
        links_table(linked(*sides), (sides[0].ids, sides[1].ids))
    )


def test_a_record_that_stands_twice_in_a_file_is_linked_twice_and_one_person() -> None:
    """The record unit looks at the first of them alone; whoever asked for links has both."""
    registers = people()
    once = linked(encoded(registers.a), encoded(registers.b))
    row, other = next(iter(pairs(once)))
    found = linked(encoded(with_rows_again(registers.a, [row])), encoded(registers.b))
    assert {(row, other), (len(registers.a), other)} <= pairs(found)
    numbers = [*found.persons[0][[row, len(registers.a)]].tolist(), int(found.persons[1][other])]
    assert 1 == len(set(numbers))


def test_persons_number_all_records_of_both_files() -> None:
    """A table that leaves out who was not linked would have to be completed by hand."""
    registers = people()
    found = linked(encoded(registers.a), encoded(registers.b))
    table = persons_table(found, (registers.a.ids, registers.b.ids))
    assert len(registers.a) + len(registers.b) == table.num_rows
    numbers = table.column("person").to_numpy()
    assert list(range(1, numbers.max() + 1)) == sorted(set(numbers.tolist()))
    assert found.linked_persons == len(registers.a) + len(registers.b) - len(set(numbers.tolist()))


def test_encodings_of_another_key_are_refused() -> None:
    """They would look unrelated, and nobody would know why."""
    side = encoded(people().a)
    with pytest.raises(SettingError, match="different keys"):
        check_alike(side, replace(side, metadata={**side.metadata, "fingerprint": "g"}))


def test_a_file_that_does_not_say_its_encoding_is_linked_as_plain_filters() -> None:
    """Another program may have written it; its keys are then called as its columns are."""
    side = replace(encoded(people().a), metadata={})
    schema = schema_of(side)
    assert ("block_0", "block_1", "block_2") == tuple(key.name for key in schema.blocking)
    assert (2048, ()) == (schema.layer_r.length, schema.layer_r.hardening)


def test_filters_of_an_odd_length_name_the_way_out() -> None:
    """No schema makes filters of 100 bits, so the models do not know them."""
    side = encoded(people().a)
    with pytest.raises(SettingError, match="100 bits"):
        schema_of(replace(side, m=100, metadata={}))


def test_one_file_named_twice_is_noticed_and_two_registers_are_not() -> None:
    """Links of a file with itself look perfect."""
    a, b = encoded(people().a), encoded(people().b)
    assert len(a) == same_records((a.ids, a.filters), (a.ids, a.filters))
    order = np.random.default_rng(1).permutation(len(a))
    shuffled = [a.ids[row] for row in order], a.filters[order]
    assert len(a) == same_records((a.ids, a.filters), shuffled), "in another order, too"
    assert 0 == same_records((a.ids, a.filters), (b.ids, b.filters))
    assert 0 == same_records((a.ids, a.filters), (a.ids[: len(b)], b.filters)), "the same ids of other people"


def test_a_file_of_one_person_over_and_over_is_refused_with_the_cure() -> None:
    """Nothing in it could be compared, and nobody would know why there is no link."""
    a = people().a
    same = Records(a.ids, {name: Column.of(["x"] * len(a)) for name in a.columns})
    with pytest.raises(SettingError, match="first file cannot be compared") as refused:
        linked(encoded(same), encoded(people().b))
    assert refused.value.hint
    assert "one person many times" in refused.value.hint
