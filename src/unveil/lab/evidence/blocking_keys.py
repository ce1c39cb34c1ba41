"""Attacks on blocking keys: who shares them with how many others, and which are frequent."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.errors import SettingError
from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.finding import Guesses, OnStep
from unveil.lab.evidence.scene import Scene
from unveil.privacy.attacks.guesses import Narrowed
from unveil.privacy.attacks.key_patterns import ROUNDS, Codes, codes_of, colours, guessed_blocks, narrowed
from unveil.schema import Schema
from unveil.schema.definition import LONGEST_KEY, BlockingKey

#: Of the people for whom short keys are made at least this share must be there, or few share a key.
_ENOUGH: Final = 0.5


def patterns_of_keys(setting: AttackSettings, told: OnStep) -> Played:
    """
    People told by the sizes of their blocks, of their neighbours' blocks, and so on, at each number of rounds.

    The attacker forms the same blocks from the plaintext of its register. The control has a key of every attribute by
    itself: a schema's own keys may be of fields so fine that their blocks tell hardly anybody, even as whole hashes.
    """
    people = people_with_keys(setting)
    if setting.weak:
        setting = replace(setting, schema=_a_key_of_each(setting.schema))
    register, whole = _whole(people, setting)
    seen = whole if setting.weak else codes_of(keys_sent(people, setting, setting.schema.layer_r.key_bits)[0])
    tries = []
    for rounds in range(1, ROUNDS + 1):
        tries.append(Guesses(_narrowed(seen, register, people, rounds).alone))
        told(rounds, ROUNDS)
    best = max(_narrowed(whole, register, people, rounds).alone for rounds in range(1, ROUNDS + 1))
    notes = (f"with whole hashes this attacker tells {best:.4f}", *few_people(setting))
    return Played(tuple(tries), people.shared, 1 / len(people.register), notes)


def frequent_keys(setting: AttackSettings, told: OnStep) -> Played:
    """
    The most frequent codes of each key, named by rank: right if the value is the most frequent one of that code.

    Each try is one of the schema's keys.
    """
    people = people_with_keys(setting)
    bits = LONGEST_KEY if setting.weak else setting.schema.layer_r.key_bits
    sent = codes_of(keys_sent(people, setting, bits)[0])
    targets, register = keys_sent(people, setting, LONGEST_KEY)
    both = codes_of(np.concatenate([targets, register]))
    values, known = both[: len(targets)], both[len(targets) :]
    tries, most = [], 0
    for key in range(sent.shape[1]):
        found = guessed_blocks(sent[:, key], known[:, key], _most_frequent(sent[:, key], values[:, key]))
        tries.append(Guesses(found.right))
        most = max(most, found.guesses)
        told(key + 1, sent.shape[1])
    return Played(tuple(tries), most, 1 / max(1, most), few_people(setting))


def people_with_keys(setting: AttackSettings) -> Scene:
    """Targets and register; SettingError where the schema has no keys to attack."""
    if not setting.schema.blocking:
        raise SettingError(f"the schema {setting.schema.name} has no blocking keys, so there is nothing to attack")
    return setting.scene()


def keys_sent(people: Scene, setting: AttackSettings, bits: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Keys of targets and register under one key, so many bits of each hash."""
    key = OwnerKey(np.random.default_rng([setting.seed, 10]).bytes(32))
    encoder = Encoder(_with_bits(setting.schema, bits), key, project="attacked")
    return encoder.blocking_keys(people.targets), encoder.blocking_keys(people.register)


def _whole(people: Scene, setting: AttackSettings) -> tuple[Codes, Codes]:
    """The register's blocks, and the targets' as whole hashes show them: which is which says neither."""
    targets, register = keys_sent(people, setting, LONGEST_KEY)
    return codes_of(register), codes_of(targets)


def _a_key_of_each(schema: Schema) -> Schema:
    """The schema with one blocking key for each of its attributes, in the place of its own."""
    return schema.model_copy(update={"blocking": tuple(BlockingKey(fields=(name,)) for name in schema.names)})


def _with_bits(schema: Schema, bits: int) -> Schema:
    return schema.model_copy(update={"layer_r": schema.layer_r.model_copy(update={"key_bits": bits})})


def _narrowed(seen: Codes, register: Codes, people: Scene, rounds: int) -> Narrowed:
    return narrowed(colours(seen, rounds=rounds), colours(register, rounds=rounds), people.truth)


def _most_frequent(sent: Codes, values: Codes) -> Codes:
    """For each code that is sent the value that most of its records have."""
    there = sent >= 0
    pairs, times = np.unique(np.stack([sent[there], values[there]], axis=1), axis=0, return_counts=True)
    out = np.full(int(sent.max(initial=-1)) + 1, -1, np.int64)
    rising = np.argsort(times, kind="stable")
    out[pairs[rising, 0]] = pairs[rising, 1]
    return out


def few_people(setting: AttackSettings) -> tuple[str, ...]:
    """Short keys are for so many records: of fewer not many share one by chance, and patterns tell more."""
    bits = setting.schema.layer_r.key_bits
    if setting.weak or bits == LONGEST_KEY or setting.people >= _ENOUGH * 2 ** (bits + 1):
        return ()
    return (
        f"keys of {bits} bits are for some {2 ** (bits + 1):,} people; unveil schema propose fits them to a register",
    )
