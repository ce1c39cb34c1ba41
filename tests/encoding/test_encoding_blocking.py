from __future__ import annotations

import numpy as np
import pytest

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.records import Column, Records
from unveil.schema import Schema, built_in

KEY = OwnerKey(b"an invented owner key, 32 bytes.")


def records(**columns: list[str]) -> Records:
    n = len(next(iter(columns.values())))
    return Records([str(i) for i in range(n)], {name: Column.of(values) for name, values in columns.items()})


def test_records_that_agree_on_a_blocking_key_share_its_hash_and_nothing_else() -> None:
    """Blocks form from equal keys; keys of different kinds must not be comparable."""
    encoder = Encoder(built_in("person"), KEY, project="p")
    base = {name: [""] * 4 for name in ("middle_name", "city", "zip", "place_of_birth")}
    keys = encoder.blocking_keys(
        records(
            first_name=["Robert", " ROBERT", "Rupert", ""],
            last_name=["Müller", "Mueller", "Miller", "Lee"],
            year_of_birth=["1970", "1970", "1970", "1970"],
            **base,
        )
    )
    same = [[np.array_equal(keys[0, k], keys[row, k]) for k in range(3)] for row in range(4)]
    assert [[True, True, True], [True, True, True], [False, False, True], [False, False, False]] == same
    assert [True, False, True] == [not keys[3, k].any() for k in range(3)]
    assert 3 == len({keys[0, k].tobytes() for k in range(3)})


def test_blocking_keys_keep_the_border_between_their_fields() -> None:
    """Ann + Abel and Anna + Bel are different people."""
    data = {"name": "x", "attributes": [{"name": "a"}, {"name": "b"}], "blocking": [{"fields": ["a", "b"]}]}
    keys = Encoder(Schema.model_validate(data), KEY, project="p").blocking_keys(
        records(a=["ann", "anna"], b=["abel", "bel"])
    )
    assert keys[0].tolist() != keys[1].tolist()


@pytest.mark.parametrize(
    ("expected", "transform"),
    [
        ([0, 0, 2, 3, 4], "a"),
        ([0, 1, 2, 3, 4], "raw(a)"),
        ([0, 0, 0, 3, 4], "first1(a)"),
        ([0, 0, 2, 3, 4], "first3(a)"),
        ([0, 0, 0, -1, 4], "soundex(a)"),
        ([0, 0, 2, -1, 4], "metaphone(a)"),
    ],
)
def test_transforms_decide_which_values_meet(expected: list[int], transform: str) -> None:
    """For each record the first record of its block; −1 where the key is left out."""
    data = {"name": "x", "attributes": [{"name": "a"}], "blocking": [{"fields": [transform]}]}
    encoder = Encoder(Schema.model_validate(data), KEY, project="p")
    found = encoder.blocking_keys(records(a=["Meyer ", "meyer", "Maier", "27", "Ruiz", ""]))[:, 0]
    firsts = [next(i for i in range(6) if np.array_equal(found[i], row)) if row.any() else -1 for row in found]
    assert [*expected, -1] == firsts


def test_a_schema_without_blocking_has_no_keys() -> None:
    """Linking without blocking shows no frequencies at all."""
    schema = Schema.model_validate({"name": "x", "attributes": [{"name": "a"}]})
    assert (2, 0, 16) == Encoder(schema, KEY, project="p").blocking_keys(records(a=["x", "y"])).shape
