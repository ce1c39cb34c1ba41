"""Attacks on blocking keys: patterns of whole hashes tell people, those of short ones do not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.encoding.blocking_keys import shortened
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.lab.synthetic import Registers, generate
from unveil.privacy.attacks.guesses import Narrowed
from unveil.privacy.attacks.key_patterns import codes_of, colours, guessed_blocks, narrowed
from unveil.schema import built_in

N = 20_000
BITS = 15  # one for every doubling of the records


@cache
def people() -> Registers:
    return generate(records=N, overlap=0.2, seed=5)


@cache
def hashed(owner: str) -> NDArray[np.uint8]:
    """The whole hashes of the records' three keys, under the owners' key."""
    return Encoder(built_in("paper"), OwnerKey(bytes(range(32))), project="p").blocking_keys(
        people().a if owner == "a" else people().b
    )


def alone(keys: NDArray[np.uint8], rounds: int) -> float:
    """The share of people whom an attacker with the same register tells by their keys alone."""
    order = np.random.default_rng(1).permutation(N)
    register = colours(codes_of(hashed("a"))[order], rounds=rounds)
    return narrowed(colours(codes_of(keys), rounds=rounds), register, np.argsort(order)).alone


def test_patterns_of_whole_hashes_tell_people() -> None:
    """The control: sizes of blocks alone tell few, those of neighbours' blocks too many."""
    assert alone(hashed("a"), 1) < 0.01
    assert alone(hashed("a"), 4) > 0.1


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_patterns_of_short_ones_do_not(rounds: int) -> None:
    """Several values share a key, and which ones nobody knows without the owners' key."""
    assert alone(shortened(hashed("a"), BITS), rounds) <= 0.01


def test_what_is_sent_by_default_is_short() -> None:
    """As many bits as the schema says, and no more; 15 are for some 50,000 records."""
    schema = built_in("person")
    assert 15 == schema.layer_r.key_bits
    found = Encoder(schema, OwnerKey(bytes(range(32))), project="p").blocking_keys(people().a)
    assert not found[..., 2:-1].any()
    assert not (found[..., 1] & 1).any()
    assert (found[..., -1] == hashed("a").any(axis=2)).all()


def named(most: int, register: str) -> float:
    """How many of the most frequent codes of a key are named by their rank, on average over keys."""
    both = codes_of(np.concatenate([hashed("a"), hashed(register)]))
    seen, known = both[:N], both[N:]
    return float(
        np.mean([guessed_blocks(seen[:, key], known[:, key], np.arange(2 * N), most=most).right for key in range(3)])
    )


def test_frequent_codes_are_named_by_the_same_register_and_not_by_one_that_shares_a_fifth() -> None:
    """Ranks of names and years are too close for another sample to keep their order."""
    assert 1.0 == named(100, "a")
    assert named(100, "b") <= 0.05


@given(st.integers(4, 128), st.binary(min_size=16, max_size=16))
def test_a_short_key_is_the_beginning_of_the_whole_one(bits: int, raw: bytes) -> None:
    """And never all zero, which would say that there is none."""
    key = np.frombuffer(raw, np.uint8).reshape(1, 1, 16)
    found = shortened(key, bits)
    number, whole = (int.from_bytes(each.tobytes(), "big") for each in (found, key))
    assert whole >> (128 - bits) == number >> (128 - bits)
    assert number.bit_count() <= (number >> (128 - bits)).bit_count() + 1
    assert found.any() == key.any()


def test_colours_do_not_depend_on_names_or_order() -> None:
    """An attacker calls blocks by their values, and the record unit by hashes."""
    rng = np.random.default_rng(2)
    blocks = rng.integers(-1, 40, (300, 3))
    order, names = rng.permutation(300), rng.permutation(40)
    renamed = np.where(blocks >= 0, names[np.maximum(blocks, 0)], -1)
    assert colours(blocks)[order].tolist() == colours(renamed[order]).tolist()


def test_no_keys_tell_nobody() -> None:
    """And records without an entry do not count."""
    none = np.empty((5, 0), np.int64)
    assert Narrowed(5, 0.0, 5.0) == narrowed(colours(none), colours(none), np.arange(5))
    assert Narrowed(0, 0.0, 0.0) == narrowed(colours(none), colours(none), np.full(5, -1))
