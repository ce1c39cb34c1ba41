"""How alike two records are in each part of salted filters: what a plain count of the bits says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.bits import pack
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.linkage.bits import Bits
from unveil.models.salted_parts import weakest_and_strongest
from unveil.records import Column, Records
from unveil.schema import Hardening, built_in

MIDDLE = 0.15
SALTED = (Hardening(method="diffusion", t=3, m=256, by=("first_name", "year_of_birth", "city")),)


def found(left: np.ndarray, right: np.ndarray, steps: tuple[Hardening, ...]) -> tuple[list[float], list[float]]:
    sides = Bits(pack(left), left.shape[1]), Bits(pack(right), right.shape[1])
    rows = np.arange(len(left), dtype=np.int32)
    weakest, strongest = weakest_and_strongest(sides, (rows, rows), np.full(len(left), 0.5), steps, MIDDLE)
    return weakest.tolist(), strongest.tolist()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_parts_are_what_counting_their_bits_says(seed: int, count: int) -> None:
    """Three parts of 64, 64 and 128 bits; agreement c of a bit that is the XOR of three is undone by a cube root."""
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 2, (2, count, 256)).astype(np.uint8)
    expected = []
    for one, other in zip(left, right, strict=True):
        each = []
        for part in (slice(0, 64), slice(64, 128), slice(128, 256)):
            c = 1 - 2 * float((one[part] != other[part]).mean())
            each.append((np.cbrt(c) - MIDDLE) / (1 - MIDDLE))
        expected.append((min(each), max(each)))
    assert [pytest.approx(list(side)) for side in zip(*expected, strict=True)] == list(found(left, right, SALTED))


@pytest.mark.parametrize(
    "steps", [(), (Hardening(method="diffusion", t=3, m=256),), (*SALTED, Hardening(method="permutation"))]
)
def test_a_filter_of_one_part_is_as_alike_in_it_as_in_all(steps: tuple[Hardening, ...]) -> None:
    """What is shuffled afterwards has no parts either: nobody knows where they are."""
    left, right = np.random.default_rng(1).integers(0, 2, (2, 4, 256)).astype(np.uint8)
    assert ([0.5] * 4, [0.5] * 4) == found(left, right, steps)


def test_coins_leave_parts_where_they_are() -> None:
    """Each bit becomes a coin or stays what it was."""
    same = np.random.default_rng(2).integers(0, 2, (1, 256)).astype(np.uint8)
    steps = (*SALTED, Hardening(method="randomised-response", f=0.1))
    assert ([1.0], [1.0]) == found(same, same, steps)


def test_whose_year_is_wrong_is_still_alike_in_the_other_part() -> None:
    """The whole filter is half noise then, and says less of the rest of the record than the one part does."""
    columns = {name: ["anna", "anna"] for name in built_in("person").names} | {"year_of_birth": ["1980", "1981"]}
    people = Records(["1", "2"], {name: Column.of(values) for name, values in columns.items()})
    encoder = Encoder(built_in("person"), OwnerKey(bytes(range(32))), project="parts")
    filters = Bits(encoder.record_level(people), encoder.m)
    one, other = np.array([0], np.int32), np.array([1], np.int32)
    hardening = built_in("person").layer_r.hardening
    weakest, strongest = weakest_and_strongest((filters, filters), (one, other), np.zeros(1), hardening, MIDDLE)
    assert weakest[0] < 0.4
    assert strongest[0] > 0.7
