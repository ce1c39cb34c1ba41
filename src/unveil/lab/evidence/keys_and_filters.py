"""Attacks that weigh who shares blocking keys beside how alike filters are: what the record unit holds, all of it."""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.blocking_keys import few_people, keys_sent, people_with_keys
from unveil.lab.evidence.finding import OnStep
from unveil.lab.evidence.record_filters import MANY, guesses_of, known_of_try, left_out, step_of, views_seen
from unveil.lab.evidence.scene import Scene
from unveil.privacy.attacks.blocks import KeyGraphs, degrees, sharing
from unveil.privacy.attacks.guesses import recognised, recognised_among_few
from unveil.privacy.attacks.key_patterns import ROUNDS as REFINEMENTS
from unveil.privacy.attacks.key_patterns import Codes, codes_of, colours, told_apart
from unveil.privacy.attacks.matching import STARTS, Known, matched, scaled
from unveil.privacy.attacks.profiles import add_nearness, likeness
from unveil.privacy.attacks.spreading import ROUNDS, spread, started
from unveil.schema.definition import LONGEST_KEY

#: How far those are believed whom patterns of keys alone tell: some are others.
_TOLD: Final = 0.5
#: How sharply numbers of neighbours are believed beside profiles of similarities.
_SHARPNESS: Final = 2.0
_NOBODY: Final = np.empty((0, 2), np.int64)


def nobody_known(setting: AttackSettings, told: OnStep) -> Played:
    """
    Begun with people whom patterns of their keys tell, and led on by keys and filters.

    Each try refines patterns once more before it begins. Of fewer people all pairs are weighed at once, besides.
    """
    people = people_with_keys(setting)
    views = views_seen(people, setting.coded, setting.seed)
    seen, register = _codes(people, setting)
    blocks, tries, notes = _blocks(seen, register, setting), [], list[str]()
    if len(people.targets) < MANY:
        begin = likeness(views) * np.float32(STARTS[0].sharpness)
        counts = [degrees([getattr(each, side) for each in blocks]) for side in ("seen", "expected")]
        add_nearness(begin, *counts, share=_SHARPNESS)
        weights = matched(views, blocks=blocks, beliefs=scaled(begin), trust=STARTS[0].trust)
        tries.append(guesses_of(recognised(weights, people.truth)))
    for number in range(REFINEMENTS):
        pairs = told_apart(colours(seen, rounds=number + 1), colours(register, rounds=number + 1))
        right = float((people.truth[pairs[:, 0]] == pairs[:, 1]).mean()) if len(pairs) else 0.0
        notes.append(f"{len(pairs)} people are told by patterns of keys after {number + 1} rounds, {right:.2f} rightly")
        step = step_of(told, number, REFINEMENTS, ROUNDS)
        found = spread(views, blocks, started(pairs, (len(seen), len(register)), _TOLD), sure=False, told=step)
        tries.append(guesses_of(recognised_among_few(found, people.truth, known=_NOBODY)))
    notes += [*few_people(setting), *left_out(people)]
    return Played(tuple(tries), people.shared, 1 / len(people.register), tuple(notes))


def some_known(setting: AttackSettings, told: OnStep) -> Played:
    """Begun with people who are known beforehand; of fewer people all pairs are weighed at once, besides."""
    people = people_with_keys(setting)
    views = views_seen(people, setting.coded, setting.seed)
    seen, register = _codes(people, setting)
    blocks, tries = _blocks(seen, register, setting), []
    for number in range(setting.tries):
        known: Known = known_of_try(people, setting, number)
        if len(people.targets) < MANY:
            weights = matched(views, blocks=blocks, known=known)
            tries.append(guesses_of(recognised(weights, people.truth, known=known)))
        step = step_of(told, number, setting.tries, ROUNDS)
        found = spread(views, blocks, started(known, (len(seen), len(register)), 1.0), sure=True, told=step)
        tries.append(guesses_of(recognised_among_few(found, people.truth, known=known)))
    notes = (*few_people(setting), *left_out(people))
    return Played(tuple(tries), people.shared - setting.known, 1 / len(people.register), notes)


def _codes(people: Scene, setting: AttackSettings) -> tuple[Codes, Codes]:
    """The blocks of records by the keys that are sent, and of entries by the values that the attacker has of them."""
    seen, _ = keys_sent(people, setting, _bits(setting))
    _, register = keys_sent(people, setting, LONGEST_KEY)
    return codes_of(seen), codes_of(register)


def _blocks(seen: Codes, register: Codes, setting: AttackSettings) -> list[KeyGraphs]:
    chance = 2.0 ** -min(_bits(setting), 24)
    return [KeyGraphs(sharing(one), sharing(other), chance) for one, other in zip(seen.T, register.T, strict=True)]


def _bits(setting: AttackSettings) -> int:
    return LONGEST_KEY if setting.weak else setting.schema.layer_r.key_bits
