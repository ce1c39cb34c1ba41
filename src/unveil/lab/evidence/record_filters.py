"""Attacks on record filters: whose are they, to whoever holds them and a register with the same people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from unveil.encoding.bits import unpack
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.errors import SettingError
from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.finding import Guesses, OnStep
from unveil.lab.evidence.scene import Scene
from unveil.linkage.bits import Bits
from unveil.privacy.attacks.agreement import Matrix, View, signs
from unveil.privacy.attacks.expectation import views_of
from unveil.privacy.attacks.guesses import Recognised, recognised
from unveil.privacy.attacks.matching import STARTS, WITH_KNOWN, Known, Start, matched, scaled
from unveil.privacy.attacks.profiles import likeness
from unveil.privacy.attacks.stripping import stripped
from unveil.schema import Schema

#: From so many people on fewer rounds are taken, or an attack would take an hour.
MANY: Final = 10_000
_STRIP_SHARE: Final = 0.3  # of the steps that are shown


def graph_matching(setting: AttackSettings, told: OnStep) -> Played:
    """Seedless: by similarities alone, from several starts."""
    people = setting.scene()
    views = views_seen(people, setting.coded, setting.seed)
    return _seedless(views, people, setting, told)


def known_people(setting: AttackSettings, told: OnStep) -> Played:
    """With some people known beforehand, others for each try."""
    people = setting.scene()
    views = views_seen(people, setting.coded, setting.seed)
    tries, rounds = [], rounds_with_known(people)
    for number in range(setting.tries):
        known = known_of_try(people, setting, number)
        step = step_of(told, number, setting.tries, len(rounds))
        found = recognised(matched(views, known=known, trust=rounds, told=step), people.truth, known=known)
        tries.append(guesses_of(found))
    return Played(tuple(tries), people.shared - setting.known, 1 / len(people.register), left_out(people))


def known_of_try(people: Scene, setting: AttackSettings, number: int) -> Known:
    """The people who are known beforehand in that try, as pairs of target and entry."""
    if setting.known >= people.shared:
        hint = f"give fewer with --known, or more with --people; {people.shared} are shared"
        raise SettingError(f"{setting.known} known people leave nobody to be found", hint=hint)
    rng = np.random.default_rng([setting.seed, 2, number])
    rows = rng.choice(np.flatnonzero(people.truth >= 0), setting.known, replace=False)
    return np.stack([rows, people.truth[rows]], axis=1)


def rounds_with_known(people: Scene) -> tuple[float, ...]:
    """How far similarities are trusted, round by round, where some people are known."""
    return WITH_KNOWN[: 6 if len(people.targets) >= MANY else None]


def stripping(setting: AttackSettings, told: OnStep) -> Played:
    """Linear mixing is undone by elimination, then whose filter is whose follows from what was mixed."""
    people, schema = setting.scene(), setting.coded
    filters = filters_of(people, schema, setting.seed)
    whole = 1000
    bits = stripped(
        unpack(filters.words, filters.m),
        np.random.default_rng(setting.seed),
        told=lambda done, of: told(round(whole * _STRIP_SHARE * done / of), whole),
    )
    plain = schema.model_copy(update={"layer_r": schema.layer_r.model_copy(update={"hardening": ()})})
    expected = views_of(Bits(filters.words[:, :1], 64), people.register, plain)[0].expected
    views = [View(signs(bits), expected, 1 / bits.shape[1])]
    rest = round(whole * (1 - _STRIP_SHARE))
    return _seedless(views, people, setting, lambda done, of: told(whole - rest + round(rest * done / of), whole))


def _seedless(views: Sequence[View], people: Scene, setting: AttackSettings, told: OnStep) -> Played:
    profile = likeness(views)
    # Profiles alone are a guess too, and sometimes the better one.
    alone = guesses_of(recognised(profile, people.truth))
    tries = []
    for number in range(setting.tries):
        start = STARTS[number % len(STARTS)]
        if len(people.targets) >= MANY:
            start = Start(start.sharpness, start.trust[::3])
        step = step_of(told, number, setting.tries, len(start.trust))
        begin = _sharpened(profile, start.sharpness, keep=number + 1 < setting.tries)
        tries.append(guesses_of(recognised(matched(views, beliefs=begin, trust=start.trust, told=step), people.truth)))
    tries.append(alone)
    return Played(tuple(tries), people.shared, 1 / len(people.register), left_out(people))


def _sharpened(profile: Matrix, sharpness: float, *, keep: bool) -> Matrix:
    """What profiles make an attacker believe; in their place, unless they are kept, for they may be gigabytes."""
    begin = profile.copy() if keep else profile
    begin *= np.float32(sharpness)
    return scaled(begin)


def filters_of(people: Scene, schema: Schema, seed: int) -> Bits:
    """What the owner would send of the targets, under a key of its own."""
    rng = np.random.default_rng([seed, 3])
    encoder = Encoder(schema, OwnerKey(rng.bytes(32)), project="attacked")
    return Bits(encoder.record_level(people.targets, rng=rng), encoder.m)


def views_seen(people: Scene, schema: Schema, seed: int) -> list[View]:
    """What the attacker sees of filters, beside what it expects of its register."""
    return views_of(filters_of(people, schema, seed), people.register, schema)


def guesses_of(found: Recognised) -> Guesses:
    """As a try of a finding."""
    return Guesses(found.first, found.ten)


def step_of(told: OnStep, number: int, tries: int, rounds: int) -> OnStep:
    """Rounds of this try as steps of all tries."""
    return lambda done, _: told(number * rounds + done, tries * rounds)


def left_out(people: Scene) -> tuple[str, ...]:
    """A note on attributes that generated people do not have."""
    names = ", ".join(people.left_out)
    return (f"generated people have no {names}: left empty",) if names else ()
