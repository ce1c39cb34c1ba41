"""Screening: filters that stand for nobody are found, and no honest record is lost for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.engines import choose
from unveil.lab.evaluation.quality import quality, truth_flags
from unveil.lab.synthetic import Registers, generate
from unveil.linkage.bits import Bits, word_count
from unveil.linkage.engine import Encoded, Neighbours, comparing
from unveil.models.choice import assessor
from unveil.records import Column, Records
from unveil.schema import BlockingKey, Hardening, LayerR, Schema, built_in
from unveil.schema.presets import with_preset
from unveil.screening.screen import Reason, Screening, screen

KEY = OwnerKey(b"an invented owner key, 32 bytes.")
HARDENING = {
    "default": (),
    "plain": (),
    "xor-fold": (Hardening(method="xor-fold"),),
    "diffusion": (Hardening(method="diffusion", t=3, m=2048),),
    "balance": (Hardening(method="balance"),),
    "randomised-response": (Hardening(method="randomised-response", f=0.05),),
}
#: The schema and the layout of generated people that it fits.
SCREENED = [("person", "plain"), ("clinic", "plain"), ("person", "default"), ("person", "xor-fold")]
#: How much poison moves F1 where it is more than a hundredth: noise looks like folded filters, and none is found.
MOVES = {("xor-fold", "noise"): 0.015}
LAYOUTS = {"person": "voter", "clinic": "clinic"}
N = 2000


def schema_of(name: str, hardening: str = "plain", **changes: object) -> Schema:
    schema = built_in(name)
    if hardening == "default":
        return schema.model_copy(update=changes)
    layer = LayerR(h=12 if name == "person" else 10, hardening=HARDENING[hardening])
    return schema.model_copy(update={"layer_r": layer, **changes})


@cache
def people(name: str, records: int = N) -> Registers:
    return generate(records=records, overlap=0.3, errors=1, seed=4, layout=LAYOUTS[name])


def encoded(records: Records, schema: Schema) -> Encoded:
    encoder = Encoder(schema, KEY, project="p")
    filters = encoder.record_level(records, rng=np.random.default_rng(1))
    return Encoded(Bits(np.ascontiguousarray(filters), encoder.m), encoder.blocking_keys(records))


@cache
def upload(name: str, hardening: str = "plain") -> Encoded:
    return encoded(people(name).b, schema_of(name, hardening))


def with_poison(honest: Encoded, words: NDArray[np.uint64], keys: NDArray[np.uint8]) -> Encoded:
    return Encoded(
        Bits(np.concatenate([honest.filters.words, words]), honest.filters.m), np.concatenate([honest.keys, keys])
    )


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    wide = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 64)))
    return np.packbits(wide, axis=1, bitorder="little").view(np.uint64)


def poison(kind: str, honest: Encoded, count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """So many filters that stand for nobody, under honest records' keys."""
    rng = np.random.default_rng(7)
    words, m = honest.filters.words, honest.filters.m
    some, others = rng.integers(0, len(words), (2, count))
    fill = honest.filters.popcounts[others, None] / m
    filters: dict[str, Callable[[], NDArray[np.uint64]]] = {
        "all ones": lambda: packed(np.ones((count, m), bool)),
        "all zeros": lambda: np.zeros((count, word_count(m)), np.uint64),
        "copies": lambda: np.repeat(words[:1], count, axis=0),
        "near copies": lambda: words[:1] ^ packed(rng.random((count, m)) < 0.02),
        "noise": lambda: packed(rng.random((count, m)) < fill),
        "noise under one key": lambda: packed(rng.random((count, m)) < fill),
        "unions": lambda: words[some] | words[others],
    }
    keys = honest.keys[some if kind in {"all ones", "all zeros", "noise", "unions"} else np.zeros(count, int)]
    return filters[kind](), keys


def checked(part: Encoded) -> Screening:
    return screen(part.filters, part.keys)


def f1(name: str, hardening: str, right: Encoded, kept: NDArray[np.bool_]) -> tuple[float, float]:
    """F1 of the honest pairs and of all, decided by the prior model, when these records of the right are compared."""
    schema, truth = schema_of(name, hardening), people(name).truth
    left = encoded(people(name).a, schema)
    rows = np.flatnonzero(kept)
    some = Encoded(Bits(right.filters.words[rows], right.filters.m), right.keys[rows])
    protocol, near = schema.protocol, Neighbours.of(with_preset(schema, "unveil").protocol)
    compare = comparing(choose("reference"), floor=protocol.floor, max_block=protocol.max_block, neighbours=near)
    comparison = compare(left, some)
    model, evidence = assessor(schema)
    pairs, matched = comparison.pairs, model.log_odds(evidence(comparison, left, some)) > 0
    place = rows[pairs.right].astype(np.int32)
    honest = place < N
    is_true = truth_flags(pairs.left, place, truth) & honest
    return quality(matched & honest, is_true, len(truth)).f1, quality(matched, is_true, len(truth)).f1


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("hardening", HARDENING)
@pytest.mark.parametrize("records", [5, 60, 150, N])
def test_an_honest_upload_loses_no_record(name: str, hardening: str, records: int) -> None:
    """A guard that bites the innocent is switched off by the first project that meets it."""
    for side in (people(name, records).a, people(name, records).b):
        found = checked(encoded(side, schema_of(name, hardening)))
        assert ({}, None, 0) == (found.summary, found.whole, int(found.rows.sum()))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("hardening", ["plain", "xor-fold"])
def test_records_with_few_values_and_complete_ones_go_together(share: float, hardening: str) -> None:
    """In a register where most lack an address, neither they nor the complete ones are poison."""
    records = people("person").a
    sparse = np.random.default_rng(2).random(len(records)) < share
    columns = {
        name: Column.of("" if few and name in {"middle_name", "city", "zip", "place_of_birth"} else value
                        for value, few in zip(column.values(), sparse, strict=True))
        for name, column in records.columns.items()
    }  # fmt: skip
    found = checked(encoded(Records(records.ids, columns), schema_of("person", hardening)))
    assert ({}, None) == (found.summary, found.whole)


@pytest.mark.parametrize("fields", [("zip",), ("city",), ("year_of_birth",)])
@pytest.mark.parametrize("hardening", HARDENING)
def test_weak_blocking_keys_are_no_reason_for_suspicion(fields: tuple[str, ...], hardening: str) -> None:
    """Strangers live in the same town."""
    schema = schema_of("person", hardening, blocking=(BlockingKey(fields=fields),))
    found = checked(encoded(people("person").a, schema))
    assert ({}, None) == (found.summary, found.whole)


def test_linking_without_blocking_keys_is_screened_too() -> None:
    honest = encoded(people("person").a, schema_of("person", blocking=()))
    assert not checked(honest).rows.any()
    bad = with_poison(honest, *poison("noise", honest, 500))
    assert checked(bad).summary["bits at random"] > 480


def test_duplicates_up_to_the_limit_stay() -> None:
    """Registers hold the same person several times; ten is a lot, eleven too many."""
    honest = upload("person")
    for extra, lost in ((9, 0), (10, 11)):
        bad = with_poison(honest, *poison("copies", honest, extra))
        assert lost == int(checked(bad).rows.sum())
    bad = with_poison(honest, *poison("copies", honest, 10))
    assert not screen(bad.filters, bad.keys, copies=11).rows.any()


def test_a_register_with_duplicates_of_every_tenth_person_stays() -> None:
    """Identical or nearly so, under the same keys: that is what duplicates are."""
    honest = upload("clinic")
    rng = np.random.default_rng(3)
    rows = rng.integers(0, N, N // 10)
    flips = packed(rng.random((len(rows), honest.filters.m)) < 0.02)
    bad = with_poison(honest, honest.filters.words[rows] ^ flips, honest.keys[rows])
    assert ({}, None) == (checked(bad).summary, checked(bad).whole)


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("hardening", ["plain", "xor-fold", "diffusion", "balance"])
@pytest.mark.parametrize(
    ("kind", "reasons"),
    [
        ("all ones", {Reason.ALL_ONES}),
        ("all zeros", {Reason.ALL_ZEROS}),
        ("copies", {Reason.COPIES}),
        ("near copies", {Reason.COPIES, Reason.FILL}),  # flipped bits upset a balance
        ("noise under one key", {Reason.UNRELATED, Reason.FILL}),
        ("unions", {Reason.UNION, Reason.FILL}),
    ],
)
def test_poison_is_found_and_honest_records_stay(name: str, hardening: str, kind: str, reasons: set[Reason]) -> None:
    """All but a handful of it; of the honest records only the one that was copied goes with its copies."""
    honest = upload(name, hardening)
    found = checked(with_poison(honest, *poison(kind, honest, 600)))
    assert found.rows[N:].mean() > 0.99
    assert found.rows[:N].sum() <= 1
    assert found.whole is None
    assert set(found.reasons.tolist()) <= {Reason.NONE, *reasons}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("hardening", ["plain", "balance"])
def test_noise_is_found_where_bits_are_uneven(name: str, hardening: str) -> None:
    """Under attack one honest record in a thousand may be taken for noise; without one, none is."""
    honest = upload(name, hardening)
    found = checked(with_poison(honest, *poison("noise", honest, 1000)))
    assert found.rows[N:].mean() > 0.97
    assert found.rows[:N].mean() < 0.001


@pytest.mark.parametrize("hardening", ["xor-fold", "diffusion"])
def test_many_filters_alike_do_not_make_noise_of_honest_records(hardening: str) -> None:
    """Under keys of their own, near copies of one record are in no large group, but set the common bits."""
    honest = upload("person", hardening)
    words, _ = poison("near copies", honest, 800)
    own = np.random.default_rng(5).integers(1, 256, (800, *honest.keys.shape[1:]), dtype=np.uint8)
    assert not checked(with_poison(honest, words, own)).rows[:N].any()


@pytest.mark.parametrize(("name", "hardening"), SCREENED)
@pytest.mark.parametrize("kind", ["all ones", "all zeros", "copies", "noise", "unions"])
def test_screening_keeps_honest_pairs_as_they_would_be(name: str, hardening: str, kind: str) -> None:
    """Poison as much as half of the honest records moves their F1 by a hundredth at most."""
    honest = upload(name, hardening)
    clean, _ = f1(name, hardening, honest, np.ones(N, bool))
    bad = with_poison(honest, *poison(kind, honest, N // 2))
    for figure in f1(name, hardening, bad, ~checked(bad).rows):
        assert abs(figure - clean) <= MOVES.get((hardening, kind), 0.01)


def test_without_screening_unions_spoil_the_result() -> None:
    """
    The control: if this poison did nothing, the test above would prove nothing.

    Honest pairs suffer little since the models weigh rivals; that all links together are far worse is what counts.
    """
    honest = upload("person", "xor-fold")
    clean, _ = f1("person", "xor-fold", honest, np.ones(N, bool))
    bad = with_poison(honest, *poison("unions", honest, N // 2))
    of_honest_pairs, of_all = f1("person", "xor-fold", bad, np.ones(len(bad.filters), bool))
    assert of_honest_pairs < clean - 0.005
    assert of_all < clean - 0.05


def test_a_flood_puts_the_whole_upload_in_quarantine() -> None:
    honest = upload("person")
    bad = with_poison(honest, *poison("all ones", honest, N + 1))
    assert "2001 of 4001 records are implausible, most of them: all ones or nearly so" == checked(bad).whole
    half = with_poison(honest, *poison("all ones", honest, N))
    assert checked(half).whole is None


def test_an_upload_of_people_who_are_all_there_twice_is_in_quarantine() -> None:
    """Nothing tells the false one of each two, but that there are so many can be told."""
    honest = upload("person")
    flips = packed(np.random.default_rng(6).random((N, honest.filters.m)) < 0.03)
    found = checked(with_poison(honest, honest.filters.words ^ flips, honest.keys))
    assert "100% of the records resemble others with the same blocking keys" == found.whole
    assert not found.rows.any()


def test_bits_beyond_the_length_are_implausible() -> None:
    """Engines count whole words; a bit there would be counted though nobody may set it."""
    words = np.array([[1, 1], [1, 1 << 40]], np.uint64)
    found = screen(Bits(words, 96), np.empty((2, 0, 16), np.uint8))
    assert [Reason.NONE, Reason.TOO_LONG] == found.reasons.tolist()
    assert {"bits beyond the length": 1} == found.summary


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_handful_of_records_is_judged_by_absolute_bounds_alone(share: float) -> None:
    """Five records say nothing about what is usual."""
    bits = np.zeros((5, 128), bool)
    bits[:, :40] = True
    bits[:, 40:45] = np.eye(5, dtype=bool)  # each of its own
    bits[4, : int(share * 128)] = True
    bits[4] &= share > 0
    found = screen(Bits(packed(bits), 128), np.zeros((5, 1, 16), np.uint8))
    assert [False] * 4 + [share != 0.3] == found.rows.tolist()


def test_an_empty_upload_is_plausible() -> None:
    found = screen(Bits(np.empty((0, 16), np.uint64), 1024), np.empty((0, 3, 16), np.uint8))
    assert (0, {}, None) == (len(found.rows), found.summary, found.whole)
