"""Attacks that weigh who shares blocking keys beside how alike filters are: what the record unit holds, all of it."""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.blocking_keys import few_people, keys_sent, people_with_keys
from unveil.lab.evidence.finding import OnStep
from unveil.lab.evidence.record_filters import (
    MANY,
    guesses_of,
    known_of_try,
    left_out,
    rounds_with_known,
    step_of,
    views_seen,
)  # fmt: skip
from unveil.lab.evidence.scene import Scene
from unveil.privacy.attacks.blocks import Blocks, degrees, sharing
from unveil.privacy.attacks.guesses import recognised
from unveil.privacy.attacks.key_patterns import codes_of
from unveil.privacy.attacks.matching import STARTS, Start, matched, scaled
from unveil.privacy.attacks.profiles import add_nearness, likeness
from unveil.schema.definition import LONGEST_KEY

#: How sharply numbers of neighbours are believed beside profiles of similarities.
_SHARPNESS: Final = 2.0


def nobody_known(setting: AttackSettings, told: OnStep) -> Played:
    """Seedless: from how many others a record shares keys with, and from its profile."""
    people = people_with_keys(setting)
    views, blocks = views_seen(people, setting.coded, setting.seed), _blocks(people, setting)
    profile = likeness(views)
    counts = [degrees([getattr(each, side) for each in blocks]) for side in ("seen", "expected")]
    tries = []
    for number in range(setting.tries):
        start = STARTS[number % len(STARTS)]
        if len(people.targets) >= MANY:
            start = Start(start.sharpness, start.trust[::3])
        begin = profile * np.float32(start.sharpness)
        add_nearness(begin, *counts, share=_SHARPNESS)
        step = step_of(told, number, setting.tries, len(start.trust))
        found = matched(views, blocks=blocks, beliefs=scaled(begin), trust=start.trust, told=step)
        tries.append(guesses_of(recognised(found, people.truth)))
    return Played(tuple(tries), people.shared, 1 / len(people.register), (*few_people(setting), *left_out(people)))


def some_known(setting: AttackSettings, told: OnStep) -> Played:
    """With some people known beforehand, others for each try."""
    people = people_with_keys(setting)
    views, blocks = views_seen(people, setting.coded, setting.seed), _blocks(people, setting)
    tries, rounds = [], rounds_with_known(people)
    for number in range(setting.tries):
        known = known_of_try(people, setting, number)
        step = step_of(told, number, setting.tries, len(rounds))
        found = matched(views, blocks=blocks, known=known, trust=rounds, told=step)
        tries.append(guesses_of(recognised(found, people.truth, known=known)))
    notes = (*few_people(setting), *left_out(people))
    return Played(tuple(tries), people.shared - setting.known, 1 / len(people.register), notes)


def _blocks(people: Scene, setting: AttackSettings) -> list[Blocks]:
    """Who shares each key: as it is sent, and as the attacker forms it from the plaintext of its register."""
    bits = LONGEST_KEY if setting.weak else setting.schema.layer_r.key_bits
    seen, _ = keys_sent(people, setting, bits)
    _, register = keys_sent(people, setting, LONGEST_KEY)
    pairs = zip(codes_of(seen).T, codes_of(register).T, strict=True)
    return [Blocks(sharing(one), sharing(other), 2.0 ** -min(bits, 24)) for one, other in pairs]
