from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.rbf import bits_per_attribute, rbf_layout
from unveil.errors import SettingError
from unveil.records import Column, Records
from unveil.schema import Schema, built_in

#: Invented people in the shape of the paper's: the lengths that h was chosen for, and the characters to draw from.
LENGTHS = {
    "first_name": (6, "abcdefghijklmnopqrstuvwxyz"),
    "middle_name": (5, "abcdefghijklmnopqrstuvwxyz"),
    "last_name": (7, "abcdefghijklmnopqrstuvwxyz"),
    "year_of_birth": (4, "0123456789"),
    "city": (9, "abcdefghijklmnopqrstuvwxyz"),
    "zip": (5, "0123456789"),
    "place_of_birth": (2, "abcdefghijklmnopqrstuvwxyz"),
}


@pytest.fixture(scope="session")
def person() -> Schema:
    return built_in("paper")


@pytest.fixture(scope="session")
def key() -> OwnerKey:
    return OwnerKey(b"an invented owner key, 32 bytes.")


@pytest.fixture(scope="session")
def people() -> Records:
    rng = np.random.default_rng(7)
    columns = {
        name: Column.of("".join(rng.choice(list(letters), length)) for _ in range(300))
        for name, (length, letters) in LENGTHS.items()
    }
    return Records([str(i) for i in range(300)], columns)


@pytest.fixture(scope="session")
def encoder(person: Schema, key: OwnerKey) -> Encoder:
    return Encoder(person, key, project="p")


def records(**columns: list[str]) -> Records:
    n = len(next(iter(columns.values())))
    return Records([str(i) for i in range(n)], {name: Column.of(values) for name, values in columns.items()})


def changed(schema: Schema, place: list[str | int], value: object) -> Schema:
    """The schema with one parameter changed."""
    data: Any = copy.deepcopy(schema.model_dump())
    parent = data
    for step in place[:-1]:
        if isinstance(parent[step], tuple):
            parent[step] = list(parent[step])
        parent = parent[step]
    parent[place[-1]] = value
    return Schema.model_validate(data)


def dice(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.float64]:
    both = np.bitwise_count(left & right).sum(axis=-1)
    return 2 * both / (np.bitwise_count(left).sum(axis=-1) + np.bitwise_count(right).sum(axis=-1))


def pair_keys(n: int, *, seed: int) -> list[bytes]:
    rng = np.random.default_rng(seed)
    return [rng.bytes(32) for _ in range(n)]


def test_filters_are_forty_per_cent_full(encoder: Encoder, people: Records) -> None:
    """m and h were chosen for it; a fuller filter tells records apart less well, an emptier one shows more."""
    rows = np.arange(len(people))
    clk = np.bitwise_count(encoder.record_level(people)).sum(axis=1).mean() / 1024
    kabf = np.bitwise_count(encoder.pair_level(people, rows, pair_keys(300, seed=1))).sum(axis=2).mean(axis=0) / 256
    assert 0.4 == pytest.approx(clk, abs=0.03)
    assert [0.4] * 7 == pytest.approx(kabf.tolist(), abs=0.03)


def test_one_plaintext_under_two_pair_keys_looks_like_two_strangers(encoder: Encoder, people: Records) -> None:
    """Otherwise the attribute unit could join pairs and count values."""
    rows = np.arange(len(people))
    left = encoder.pair_level(people, rows, pair_keys(300, seed=1))
    right = encoder.pair_level(people, rows, pair_keys(300, seed=2))
    assert [0.4] * 7 == pytest.approx(dice(left, right).mean(axis=0).tolist(), abs=0.05)


def test_one_plaintext_under_one_pair_key_is_identical(encoder: Encoder, people: Records) -> None:
    """The two owners of a pair meet only so."""
    rows, keys = np.array([5, 9, 5]), pair_keys(3, seed=1)
    once = encoder.pair_level(people, rows, keys)
    again = encoder.pair_level(people, rows[::-1].copy(), keys[::-1])
    assert once.tolist() == again[::-1].tolist()
    assert once[0].tolist() != once[2].tolist()


def test_equal_values_in_two_attributes_share_no_filter(key: OwnerKey) -> None:
    """Each attribute has its own key and padding."""
    schema = Schema.model_validate({"name": "two", "attributes": [{"name": "a"}, {"name": "b"}]})
    encoder = Encoder(schema, key, project="p")
    same = records(a=["washington"], b=["washington"])
    plain = encoder.attribute_level(same)[0]
    keyed = encoder.pair_level(same, np.array([0]), [bytes(16)])[0]
    assert 0.75 > dice(plain[0], plain[1])
    assert 0.75 > dice(keyed[0], keyed[1])
    swapped = encoder.record_level(records(a=["washington", ""], b=["", "washington"]))
    assert 0.4 > dice(swapped[0], swapped[1])


ENCODINGS: list[Callable[[Encoder, Records], NDArray[Any]]] = [
    lambda encoder, people: encoder.record_level(people),
    lambda encoder, people: encoder.attribute_level(people),
    lambda encoder, people: encoder.pair_level(people, np.arange(5), [bytes(16)] * 5),
    lambda encoder, people: encoder.blocking_keys(people),
]


@pytest.mark.parametrize("encode", ENCODINGS)
def test_key_and_project_change_every_encoding(
    encode: Callable[[Encoder, Records], NDArray[Any]], person: Schema, key: OwnerKey, people: Records
) -> None:
    """What leaks in one project must not help in the next."""
    same = encode(Encoder(person, OwnerKey(key.secret), project="p"), people)
    assert encode(Encoder(person, key, project="p"), people).tolist() == same.tolist()
    for other in (Encoder(person, key, project="q"), Encoder(person, OwnerKey(key.secret + b"."), project="p")):
        assert not np.array_equal(same, encode(other, people))


def test_missing_values_add_no_bits(encoder: Encoder, people: Records) -> None:
    """A filter of 'nothing' would make records similar that only share a gap."""
    gaps = Records(people.ids, {**people.columns, "city": Column.of([""] * 300), "zip": Column.of(["  "] * 300)})
    full, less = encoder.record_level(people), encoder.record_level(gaps)
    assert not (less & ~full).any()
    assert (np.bitwise_count(less).sum(axis=1) < np.bitwise_count(full).sum(axis=1)).all()
    assert not encoder.attribute_level(gaps)[:, [4, 5]].any()
    assert not encoder.pair_level(gaps, np.arange(300), pair_keys(300, seed=3))[:, [4, 5]].any()
    empty = Records(["0"], {name: Column.of([""]) for name in people.columns})
    assert not encoder.record_level(empty).any()


@pytest.mark.parametrize("encode", [e for e in ENCODINGS if e is not ENCODINGS[2]])
def test_no_records_make_no_filters(
    encode: Callable[[Encoder, Records], NDArray[Any]], encoder: Encoder, people: Records
) -> None:
    """An owner may have nothing to add in a round."""
    none = Records([], {name: Column.of([]) for name in people.columns})
    assert 0 == len(encode(encoder, none))
    assert (0, 7, 4) == encoder.pair_level(people, np.empty(0, dtype=np.int64), []).shape


@pytest.mark.parametrize(
    ("rows", "keys"),
    [
        ([0], [bytes(15)]),
        ([0, 1], [bytes(16)]),
        ([-1], [bytes(16)]),
        ([300], [bytes(16)]),
    ],
)
def test_wishes_that_are_unsafe_or_out_of_range_are_refused(
    rows: list[int], keys: list[bytes], encoder: Encoder, people: Records
) -> None:
    """A short pair key can be searched; a negative row would disclose a record nobody asked for."""
    with pytest.raises(SettingError):
        encoder.pair_level(people, np.array(rows), keys)


def test_chunks_of_work_leave_no_trace(
    encoder: Encoder, person: Schema, key: OwnerKey, people: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory is bounded by working in chunks; their borders must not show in any encoding."""
    hardened = Encoder(changed(person, ["layer_r", "hardening"], [{"method": "balance"}]), key, project="p")
    rbf = Encoder(changed(person, ["layer_r", "encoding"], "rbf"), key, project="p")
    rows, keys = np.arange(40), pair_keys(40, seed=4)

    def everything() -> list[Any]:
        filters = [e.record_level(people) for e in (encoder, hardened, rbf)]
        return [f.tolist() for f in (*filters, encoder.pair_level(people, rows, keys))]

    whole = everything()
    monkeypatch.setattr("unveil.encoding.bits.CHUNK_BYTES", 1)
    monkeypatch.setattr("unveil.encoding.abf._ROWS_AT_ONCE", 3)
    assert whole == everything()


def test_a_missing_column_is_named(encoder: Encoder) -> None:
    """The owner has to know what to add."""
    with pytest.raises(SettingError, match="middle_name"):
        encoder.record_level(records(first_name=["ann"]))


def test_randomised_response_without_a_generator_is_refused(person: Schema, key: OwnerKey, people: Records) -> None:
    """Hidden global randomness could not be replayed, and noise left out would go unnoticed."""
    noisy = Encoder(changed(person, ["layer_r", "hardening"], [{"method": "randomised-response"}]), key, project="p")
    with pytest.raises(SettingError, match="random generator"):
        noisy.record_level(people)
    assert (300, 16) == noisy.record_level(people, rng=np.random.default_rng(1)).shape


def test_hardening_sets_the_length_of_the_filter(person: Schema, key: OwnerKey, people: Records) -> None:
    """m says the true length where the last word is not full."""
    steps = [{"method": "xor-fold"}, {"method": "diffusion", "t": 3, "m": 700}]
    hardened = Encoder(changed(person, ["layer_r", "hardening"], steps), key, project="p")
    filters = hardened.record_level(people)
    assert 700 == hardened.m
    assert (300, 11) == filters.shape
    assert not (filters[:, 10] >> np.uint64(700 - 640)).any()


def test_rbf_gives_heavier_attributes_more_bits(person: Schema, key: OwnerKey, people: Records) -> None:
    """Bits in proportion to weight are the point of this encoding."""
    schema = changed(person, ["layer_r", "encoding"], "rbf")
    layout = rbf_layout(schema, key, project="p")
    weights = [attribute.weight for attribute in schema.attributes]
    assert bits_per_attribute(weights, 1024) == np.bincount(layout.attribute).tolist()
    shares = [1024 * weight / sum(weights) for weight in weights]
    assert shares == pytest.approx(np.bincount(layout.attribute).tolist(), abs=1)
    filters = Encoder(schema, key, project="p").record_level(people)
    assert 0.4 == pytest.approx(np.bitwise_count(filters).sum(axis=1).mean() / 1024, abs=0.03)


def test_rbf_takes_no_bit_twice_before_each_was_taken_once(key: OwnerKey) -> None:
    """A bit counted twice carries no more information."""
    attributes = [{"name": "a", "weight": 3}, {"name": "b", "weight": 1}, {"name": "c", "weight": 0}]
    data = {"name": "x", "attributes": attributes, "layer_r": {"m": 256, "encoding": "rbf"}, "layer_a": {"m": 128}}
    layout = rbf_layout(Schema.model_validate(data), key, project="p")
    times = np.bincount(layout.source[layout.attribute == 0], minlength=128)
    assert {1, 2} == set(times.tolist())
    assert [192, 64] == np.bincount(layout.attribute).tolist()
    assert 64 == len(set(layout.source[layout.attribute == 1].tolist()))


def test_bits_left_by_rounding_go_to_the_largest_remainders() -> None:
    """Every output position needs a source."""
    assert [3, 3, 4] == bits_per_attribute([1.0, 1.0, 1.3], 10)
    assert [4, 3, 3] == bits_per_attribute([1.0, 1.0, 1.0], 10)
    with pytest.raises(SettingError):
        bits_per_attribute([0.0, 0.0], 10)


CHANGES: list[tuple[list[str | int], object]] = [
    (["layer_r", "m"], 2048),
    (["layer_r", "h"], 13),
    (["layer_r", "encoding"], "rbf"),
    (["layer_r", "hardening"], [{"method": "xor-fold"}]),
    (["layer_a", "m"], 512),
    (["attributes", 0, "h"], 19),
    (["attributes", 0, "q"], 3),
    (["attributes", 0, "padding"], False),
    (["attributes", 0, "normalise"], ["trim"]),
    (["attributes", 0, "weight"], 1.0),
    (["attributes", 6, "name"], "birth_place"),
    (["blocking", 0, "fields"], ["first_name"]),
    (["protocol", "p_t"], 0.9),
    (["name"], "other"),
]


@pytest.mark.parametrize(("place", "value"), CHANGES)
def test_every_single_parameter_changes_the_fingerprint(
    place: list[str | int], value: object, encoder: Encoder, person: Schema, key: OwnerKey
) -> None:
    """Owners with different parameters would upload filters that can never match, and disclose them for nothing."""
    other = Encoder(changed(person, place, value), key, project="p")
    assert encoder.fingerprint() != other.fingerprint()


def test_fingerprints_are_equal_only_under_one_key_and_project(encoder: Encoder, person: Schema, key: OwnerKey) -> None:
    """The record unit compares them, so it must learn nothing but equality."""
    assert 16 == len(encoder.fingerprint())
    assert encoder.fingerprint() == Encoder(person, OwnerKey(key.secret), project="p").fingerprint()
    others = [Encoder(person, key, project="q"), Encoder(person, OwnerKey(key.secret[:-1]), project="p")]
    assert all(encoder.fingerprint() != other.fingerprint() for other in others)
    assert not person.fingerprint().startswith(encoder.fingerprint().hex())


def test_an_encoder_prints_nothing_secret(encoder: Encoder, key: OwnerKey) -> None:
    """It stands in the local variables of many a traceback."""
    assert "Encoder(<schema paper, 1024 bits>)" == repr(encoder)
    assert key.secret.hex() not in repr(vars(encoder))
    assert repr(key.secret) not in repr(vars(encoder))
