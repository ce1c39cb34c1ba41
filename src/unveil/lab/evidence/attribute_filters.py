"""Attacks on what the attribute unit holds: who is in several pairs, how long values are, which value it is."""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.qgrams import tokenise
from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.finding import Guesses, OnStep
from unveil.lab.evidence.scene import Scene
from unveil.privacy.attacks.frequency_of_attributes import guessed_by_frequency
from unveil.privacy.attacks.guesses import Guessed, guessed, recognised
from unveil.privacy.attacks.weights import guessed_lengths, noise_of, recognised_by_weights, weights_of
from unveil.records import Column, Records
from unveil.schema import Schema

#: Pairs that each record is in: as many draws of keys, so that a single lucky one decides nothing.
_PAIRS: Final = 5
#: Attributes of fewer values than this are guessed right too often without any attack.
_FEWEST_VALUES: Final = 10
#: Of an attribute of which so many values are equally long nothing is left to be told.
_ALIKE: Final = 0.9


def joining_by_weights(setting: AttackSettings, told: OnStep) -> Played:
    """
    Each record is sent in several pairs, and its filters in one are looked for among those of all records in another.

    How much weights vary with keys the attacker learns from records of its own.
    """
    people, encoder = setting.scene(), _encoder(setting)
    own = [weights_of(_under_fresh_keys(encoder, people.register, setting.seed, number)) for number in (0, 1)]
    noise, sent = noise_of(*own), []
    for number in range(_PAIRS):
        sent.append(weights_of(_under_fresh_keys(encoder, people.targets, setting.seed, 2 + number)))
        told(number + 1, _PAIRS)
    rows = np.arange(len(people.targets))
    found = [recognised(recognised_by_weights(one, other, noise), rows) for one, other in combinations(sent, 2)]
    first, ten = (float(np.mean([getattr(one, name) for one in found])) for name in ("first", "ten"))
    notes = (f"mean of {len(found)} pairings of {_PAIRS} pairs of each record",)
    return Played((Guesses(first, ten),), len(rows), 1 / len(rows), notes)


def lengths_of_values(setting: AttackSettings, told: OnStep) -> Played:
    """
    How many q-grams a value has, from the ones of its filters, to whoever encoded the register's values.

    The figure is that of the attribute whose lengths are told best, beside always guessing the most frequent one.
    """
    people, encoder = setting.scene(), _encoder(setting)
    sides = (people.register, people.targets)
    weights = []
    for side, records in enumerate(sides):
        sent = [_under_fresh_keys(encoder, records, setting.seed, _PAIRS * side + number) for number in range(_PAIRS)]
        weights.append(np.concatenate([weights_of(each) for each in sent]))
        told(side + 1, len(sides))
    known, found = np.repeat([True, False], [len(each) for each in weights]), dict[str, Guessed]()
    for at, attribute in enumerate(setting.schema.attributes):
        counts = [_tokens(records, setting.schema, at) for records in sides]
        tokens = np.concatenate([np.tile(each, _PAIRS) for each in counts])
        there = tokens > 0
        if min(int((each > 0).sum()) for each in counts):
            ones = np.concatenate([each[:, at] for each in weights])
            found[attribute.name] = guessed_lengths(ones[there], tokens[there], known=known[there])
    varied = {name: one for name, one in found.items() if one.constant < _ALIKE} or found
    best = max(varied, key=lambda name: varied[name].right - varied[name].constant)
    told_best = found[best]
    notes = (f"of {best}, told best of {len(varied)} attributes whose lengths differ",)
    return Played((Guesses(told_best.right),), len(people.targets), told_best.constant, notes)


def frequent_values(setting: AttackSettings, told: OnStep) -> Played:
    """
    Values of an attribute with few of them, by how often each filter occurs; the register says how often values do.

    The control sends filters under one key for all pairs.
    """
    people = setting.scene()
    name = _of_few_values(people.register)
    at = setting.schema.names.index(name)
    encoder = _encoder(setting)
    if setting.weak:
        sent = encoder.attribute_level(people.targets)
    else:
        sent = _under_fresh_keys(encoder, people.targets, setting.seed, 0)
    told(1, 2)
    register, truth = _codes(people, name)
    found = guessed(guessed_by_frequency(np.ascontiguousarray(sent[:, at]), register), truth)
    told(2, 2)
    return Played((Guesses(found.right),), found.guesses, found.constant, (f"of {name}",))


def _encoder(setting: AttackSettings) -> Encoder:
    """What owners send, or the plain filters of the control, under keys that the attacker does not know."""
    schema = without_signs(setting.schema) if setting.weak else setting.schema
    return Encoder(schema, OwnerKey(np.random.default_rng([setting.seed, 5]).bytes(32)), project="attacked")


def without_signs(schema: Schema) -> Schema:
    """The schema as it was when the filters themselves were sent."""
    return schema.model_copy(update={"layer_a": schema.layer_a.model_copy(update={"signs": 0})})


def _under_fresh_keys(encoder: Encoder, records: Records, seed: int, number: int) -> NDArray[np.uint64]:
    """Every record in a pair of its own."""
    rng = np.random.default_rng([seed, 6, number])
    return encoder.pair_level(records, np.arange(len(records)), [rng.bytes(32) for _ in range(len(records))])


def _tokens(records: Records, schema: Schema, at: int) -> NDArray[np.int64]:
    """How many q-grams each record's value has; 0 where it is missing."""
    attribute = schema.attributes[at]
    column = records.columns[attribute.name]
    return np.asarray(tokenise(column.distinct, attribute, at).counts, np.int64)[column.codes]


def _of_few_values(records: Records) -> str:
    """The attribute that ranks by frequency name best: few values, and not so few that any guess is right."""
    sizes = {name: len(set(column.distinct) - {""}) for name, column in records.columns.items()}
    many = {name: size for name, size in sizes.items() if size >= _FEWEST_VALUES}
    return min(many, key=lambda name: many[name]) if many else max(sizes, key=lambda name: sizes[name])


def _codes(people: Scene, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Values of the register and of the targets as numbers, equal where they are; -1 where missing."""
    columns = [records.columns[name] for records in (people.register, people.targets)]
    numbers = {value: at for at, value in enumerate(sorted({v for c in columns for v in c.distinct if v}))}
    first, second = (_numbered(column, numbers) for column in columns)
    return first, second


def _numbered(column: Column, numbers: dict[str, int]) -> NDArray[np.int64]:
    return np.array([numbers.get(value, -1) for value in column.distinct], np.int64)[column.codes]
