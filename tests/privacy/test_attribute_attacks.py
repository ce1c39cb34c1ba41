"""Attacks on what the attribute unit holds: each succeeds on filters as published, and signs withstand it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from unveil.encoding.bits import unpack
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.qgrams import tokenise
from unveil.encoding.rbf import rbf_layout
from unveil.lab.synthetic import generate
from unveil.lab.synthetic.population import Registers
from unveil.linkage.attributes import attribute_similarities, compared
from unveil.privacy.attacks.bit_map import attribute_of_bits
from unveil.privacy.attacks.frequency_of_attributes import guessed_by_frequency
from unveil.privacy.attacks.guesses import Guessed, guessed, recognised
from unveil.privacy.attacks.states_of_pairs import recognised_by_states
from unveil.privacy.attacks.weights import guessed_lengths, noise_of, recognised_by_weights, weights_of
from unveil.records import Records
from unveil.roles.owner.frequency import all_frequency_classes
from unveil.schema import Schema, built_in

N, TIMES = 400, 4
KEY = OwnerKey(bytes(range(32)))


@cache
def people() -> Registers:
    return generate(records=N, overlap=0.3, seed=3)


def encoder(name: str, **layer_r: object) -> Encoder:
    schema = built_in(name)
    layer = schema.layer_r.model_copy(update=layer_r)
    return Encoder(schema.model_copy(update={"layer_r": layer}), KEY, project="p")


def under_fresh_keys(name: str, records: Records, rows: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    rng = np.random.default_rng(seed)
    return encoder(name).pair_level(records, rows, [rng.bytes(32) for _ in rows])


def joined(name: str) -> float:
    """The share of records recognised under another pair's key, over some draws of keys."""
    rows, found = np.arange(N), []
    own = [weights_of(under_fresh_keys(name, people().b, rows, seed)) for seed in (1, 2)]
    for number in range(TIMES):
        order = np.random.default_rng(number).permutation(N)
        first = under_fresh_keys(name, people().a, rows, 10 + number)
        second = under_fresh_keys(name, people().a, order, 50 + number)
        likely = recognised_by_weights(weights_of(first), weights_of(second), noise_of(*own))
        found.append(recognised(likely, np.argsort(order)).first)
    return float(np.mean(found))


def test_weights_of_filters_join_the_pairs_of_a_record() -> None:
    """The control: fresh keys for every pair hide values, and not how many ones they have."""
    assert joined("paper") > 100 / N


def test_signs_do_not() -> None:
    """At most twice what guessing finds; missing values, which an empty filter would show, are among them."""
    assert joined("person") <= 2 / N


def states(name: str, rows: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """What the attribute unit finds out of pairs of these records with others: levels, gaps, classes that show."""
    rng, sent = np.random.default_rng(seed), encoder(name)
    partners, keys = rng.integers(0, N, len(rows)), [rng.bytes(32) for _ in rows]
    sides, classes = [], []
    for records, chosen, owner in ((people().a, rows, b"a"), (people().b, partners, b"b")):
        handles = [owner + row.to_bytes(4, "big") for row in chosen.tolist()]
        sides.append(sent.pair_level(records, chosen, keys, handles=handles))
        own = all_frequency_classes(records, built_in(name))[chosen]
        classes.append(sent.pair_classes(own, sides[-1], keys, second=owner == b"b"))
    found = compared(sides[0], sides[1], (classes[0], classes[1]), built_in(name).layer_a)
    level = np.digitize(found.similarity, [0.45, 0.55, 0.7, 0.999])
    level = np.where(np.isnan(found.similarity), 9, np.where(found.agreement > 0, 4 + found.agreement, level))
    if built_in(name).layer_a.signs:
        return level.astype(np.int64)
    return np.where(sides[0].any(axis=2), classes[0], 0).astype(np.int64) + 4 * level  # what the record itself shows


@pytest.mark.parametrize(("name", "least", "most"), [("paper", 0.3, 1.0), ("person", 0.0, 0.05)])
def test_what_is_found_out_of_pairs_hardly_joins_them(name: str, least: float, most: float) -> None:
    """
    With filters missing values and classes of each record show; with signs only what it has in common with others.

    That is not nothing (chance is .005 here): who has no middle name has none in any pair.
    """
    known, rows = np.arange(N // 2), np.arange(N // 2, N)
    found = []
    for number in range(2):
        order = np.random.default_rng(number).permutation(len(rows))
        own = states(name, known, 10 + number), states(name, known, 20 + number)
        likely = recognised_by_states(states(name, rows, 30 + number), states(name, rows[order], 40 + number), own)
        likely += np.random.default_rng(number).random(likely.shape, np.float32) * np.float32(1e-3)
        found.append(recognised(likely, np.argsort(order)).first)
    assert least <= float(np.mean(found)) <= most


def lengths(name: str) -> dict[str, Guessed]:
    """How the number of q-grams is guessed from weights, by attribute; half of the records are the attacker's."""
    records, schema = people().a, built_in(name)
    rows = np.tile(np.arange(N), TIMES)
    weights = weights_of(under_fresh_keys(name, records, rows, 1))
    known, found = np.random.default_rng(2).random(N)[rows] < 0.5, {}
    for at, attribute in enumerate(schema.attributes):
        column = records.columns[attribute.name]
        tokens = tokenise(column.distinct, attribute, at).counts[column.codes][rows]
        there = tokens > 0
        found[attribute.name] = guessed_lengths(weights[there, at], tokens[there], known=known[there])
    return found


def test_weights_of_filters_tell_how_long_values_are() -> None:
    """The control, for names: of a place of birth all have two letters."""
    found = lengths("paper")
    for name in ("first_name", "middle_name", "last_name"):
        assert found[name].right > 2 * found[name].constant
        assert found[name].right > 0.6


def test_weights_of_signs_do_not() -> None:
    """No better than always saying the same."""
    for name, one in lengths("person").items():
        assert one.right <= one.constant + 0.03, name


def places(records: Records) -> tuple[NDArray[np.int64], dict[str, int]]:
    column = records.columns["place_of_birth"]
    names = {value: at for at, value in enumerate(sorted(set(column.distinct)))}
    codes = np.array([names[value] if value else -1 for value in column.distinct], np.int64)[column.codes]
    return codes, names


def test_frequencies_of_filters_without_pair_keys_tell_places_of_birth() -> None:
    """The control, with a register of other people of the same country, and with the same one."""
    registers = generate(records=1900, overlap=0.3, seed=3)
    truth, names = places(registers.a)
    column = registers.b.columns["place_of_birth"]
    codes = np.array([names.get(value, len(names)) if value else -1 for value in column.distinct], np.int64)
    plain = encoder("paper").attribute_level(registers.a)[:, -1]
    for register in (truth, codes[column.codes]):
        found = guessed(guessed_by_frequency(plain, register), truth)
        assert found.right >= max(0.5, found.constant + 0.05)


@pytest.mark.parametrize("name", ["paper", "person"])
def test_frequencies_of_what_is_sent_do_not(name: str) -> None:
    """Every pair has a key of its own, so nothing occurs twice."""
    truth, _ = places(people().a)
    sent = under_fresh_keys(name, people().a, np.arange(N), 1)[:, -1]
    found = guessed(guessed_by_frequency(sent, truth), truth)
    assert found.right < 0.05 < found.constant


def rbf() -> Schema:
    schema = built_in("paper")
    return schema.model_copy(update={"layer_r": schema.layer_r.model_copy(update={"encoding": "rbf"})})


def mapped(schema: Schema, seed: int) -> NDArray[np.int64]:
    """The attribute of each bit, by pairs whose similarities are known."""
    registers, rng = generate(records=4 * N, overlap=0.5, seed=seed), np.random.default_rng(5)
    truth = np.array(registers.truth)
    rows = [np.concatenate([truth[:, side], rng.integers(0, 4 * N, 2 * N)]) for side in (0, 1)]
    plain, sent = encoder("paper"), Encoder(schema, KEY, project="p")
    filters = [
        plain.attribute_level(records)[some] for records, some in zip((registers.a, registers.b), rows, strict=True)
    ]
    bits = [
        unpack(sent.record_level(records)[some], sent.m)
        for records, some in zip((registers.a, registers.b), rows, strict=True)
    ]
    return attribute_of_bits(bits[0], bits[1], attribute_similarities(filters[0], filters[1]))


def test_bits_of_an_rbf_are_told_to_their_attributes() -> None:
    """The control: whoever knows both a record's filter and its attributes' similarities takes the RBF apart."""
    found = guessed(mapped(rbf(), 4), rbf_layout(rbf(), KEY, project="p").attribute)
    assert found.right >= 0.9 > found.constant


def test_bits_of_the_default_are_of_no_attribute() -> None:
    """Each is the XOR of three bits of any attributes: what some pairs seem to tell of it, others do not confirm."""
    confirmed = [float((mapped(schema, 4) == mapped(schema, 6)).mean()) for schema in (rbf(), built_in("person"))]
    assert confirmed[0] > 0.8
    assert confirmed[1] < 0.4


def test_a_guess_about_nothing_is_no_guess() -> None:
    """Missing values are nobody's; a register without the attribute names nothing."""
    assert Guessed(0, 0.0, 0.0) == guessed(np.array([1]), np.array([-1]))
    assert [-1, -1] == guessed_by_frequency(np.zeros((2, 4), np.uint64), np.array([1])).tolist()
    assert [-1] == guessed_by_frequency(np.ones((1, 4), np.uint64), np.array([-1])).tolist()
