"""Records of one register that seem to be one person's are found in that register alone."""

from __future__ import annotations

import numpy as np
import pytest

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.lab.synthetic import generate
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded
from unveil.linkage.people_within import people_within
from unveil.records import Column, Records
from unveil.schema import Schema, built_in

PLAIN, SALTED = built_in("paper"), built_in("person")


def of_keys(keys: np.ndarray) -> Encoded:
    """Records that are known by their keys alone: their filters have nothing in common."""
    words = np.random.default_rng(1).integers(0, 2**63, (len(keys), 16), dtype=np.uint64)
    return Encoded(Bits(words, 1024), keys)


def test_records_that_share_two_keys_are_one_persons_and_so_is_whoever_joins_them() -> None:
    """One key is shared by many who have nothing to do with each other; a missing one is shared by nobody."""
    keys = np.arange(1, 22, dtype=np.uint8).reshape(7, 3, 1)
    keys[1, 1:] = keys[0, 1:]  # shares two with 0
    keys[2, :2] = keys[1, :2]  # shares two with 1, and one with 0
    keys[4, 0] = keys[3, 0]  # shares one with 3
    keys[5:, 1:] = 0  # both lack two
    found = people_within(of_keys(keys))
    assert found[0] == found[1] == found[2]
    assert 5 == len(set(found.tolist()))
    assert 7 == len(set(people_within(of_keys(keys[:, :0])).tolist()))
    assert (0,) == people_within(of_keys(keys[:0])).shape
    assert [0] == people_within(of_keys(keys[:1])).tolist()


@pytest.mark.parametrize("schema", [PLAIN, SALTED], ids=["plain filters", "salted filters"])
def test_copies_with_a_slip_are_found_and_others_are_not(schema: Schema) -> None:
    """Each copy has another slip of the pen, so that two of them may share no key at all."""
    rows = generate(records=1_000, overlap=0, errors=1, seed=7).a
    names = schema.names
    people = [{name: rows.columns[name][row] for name in names} for row in range(len(rows))]
    slips = ("last_name", "first_name", "city", "middle_name")
    copied = [one | {name: one[name][:-1] + "X"} for one in people[:100] for name in slips]
    every = people + copied
    register = Records([str(at) for at in range(len(every))], {n: Column.of([p[n] for p in every]) for n in names})
    encoder = Encoder(schema, OwnerKey(bytes(range(32))), project="copies")
    side = Encoded(Bits(encoder.record_level(register), encoder.m), encoder.blocking_keys(register))
    found = people_within(side, schema.layer_r.hardening)
    of_copies = found[len(people) :].reshape(100, len(slips))
    assert (of_copies == found[:100, None]).mean() > 0.97
    alone = found[100 : len(people)]
    assert len(set(alone.tolist())) > 0.98 * len(alone), "strangers, namesakes and kin are hardly ever joined"
