"""Registers in which people stand twice, and not always with everything: nobody of them is kept out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.lab.worlds import draw_design, make_world
from unveil.linkage.bits import Bits
from unveil.screening.screen import Reason, screen

KEY = OwnerKey(b"an invented owner key, 32 bytes.")
ATTRIBUTES = ("given_name", "family_name", "date_of_birth", "street", "postcode", "phone")


@pytest.mark.parametrize("missing", [0.05, 0.2, 0.4])
def test_a_second_entry_that_lacks_values_makes_no_union_of_the_first(missing: float) -> None:
    """The fuller entry holds all the bits of the other, as a union of two people would; keys that lack tell."""
    world = make_world(
        replace(
            draw_design(1, largest=2_000),
            attributes=ATTRIBUTES,
            sizes=(1_500, 200),
            wrong=(0.01,) * len(ATTRIBUTES),
            missing=(missing,) * len(ATTRIBUTES),
            twice=0.4,
            most_entries=2,
            keys="many",
            hardening="none",
        )
    )
    encoder = Encoder(world.schema, KEY, project="p")
    filters = Bits(np.ascontiguousarray(encoder.record_level(world.a, rng=np.random.default_rng(1))), encoder.m)
    found = screen(filters, encoder.blocking_keys(world.a), resembling=0.9)
    assert found.whole is None
    assert not np.flatnonzero(found.reasons == Reason.UNION).size
