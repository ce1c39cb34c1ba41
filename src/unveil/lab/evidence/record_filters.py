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
from unveil.privacy.attacks.agreement import View, signs
from unveil.privacy.attacks.expectation import KEYS, views_of
from unveil.privacy.attacks.guesses import Recognised, recognised
from unveil.privacy.attacks.matching import STARTS, WITH_KNOWN, Start, matched, scaled
from unveil.privacy.attacks.profiles import likeness
from unveil.privacy.attacks.stripping import stripped
from unveil.schema import Schema

#: From so many people on fewer rounds and keys are taken, or an attack would take an hour.
MANY: Final = 10_000
_STRIP_SHARE: Final = 0.3  # of the steps that are shown


def graph_matching(setting: AttackSettings, told: OnStep) -> Played:
    """Seedless: by similarities alone, from several starts."""
    people = setting.scene()
    views = _views(people, setting.coded, setting.seed)
    return _seedless(views, people, setting, told)


def known_people(setting: AttackSettings, told: OnStep) -> Played:
    """With some people known beforehand, others for each try."""
    people = setting.scene()
    if setting.known >= people.shared:
        hint = f"give fewer with --known, or more with --people; {people.shared} are shared"
        raise SettingError(f"{setting.known} known people leave nobody to be found", hint=hint)
    views = _views(people, setting.coded, setting.seed)
    tries, rounds = [], WITH_KNOWN[: 4 if len(people.targets) >= MANY else None]
    for number in range(setting.tries):
        rng = np.random.default_rng([setting.seed, 2, number])
        rows = rng.choice(np.flatnonzero(people.truth >= 0), setting.known, replace=False)
        known = np.stack([rows, people.truth[rows]], axis=1)
        step = _step(told, number, setting.tries, len(rounds))
        found = recognised(matched(views, known=known, trust=rounds, told=step), people.truth, known=known)
        tries.append(_guesses(found))
    return Played(tuple(tries), people.shared - setting.known, 1 / len(people.register), _left_out(people))


def stripping(setting: AttackSettings, told: OnStep) -> Played:
    """Linear mixing is undone by elimination, then whose filter is whose follows from what was mixed."""
    people, schema = setting.scene(), setting.coded
    filters = _filters(people, schema, setting.seed)
    whole = 1000
    bits = stripped(
        unpack(filters.words, filters.m),
        np.random.default_rng(setting.seed),
        told=lambda done, of: told(round(whole * _STRIP_SHARE * done / of), whole),
    )
    plain = schema.model_copy(update={"layer_r": schema.layer_r.model_copy(update={"hardening": ()})})
    expected = views_of(Bits(filters.words[:, :1], 64), people.register, plain, keys=_keys(people))[0].expected
    views = [View(signs(bits), expected, 1 / bits.shape[1])]
    rest = round(whole * (1 - _STRIP_SHARE))
    return _seedless(views, people, setting, lambda done, of: told(whole - rest + round(rest * done / of), whole))


def _seedless(views: Sequence[View], people: Scene, setting: AttackSettings, told: OnStep) -> Played:
    profile = likeness(views)
    tries = []
    for number in range(setting.tries):
        start = STARTS[number % len(STARTS)]
        if len(people.targets) >= MANY:
            start = Start(start.sharpness, start.trust[::3])
        step = _step(told, number, setting.tries, len(start.trust))
        begin = scaled(profile * np.float32(start.sharpness))
        tries.append(_guesses(recognised(matched(views, beliefs=begin, trust=start.trust, told=step), people.truth)))
    # Profiles alone are a guess too, and sometimes the better one.
    tries.append(_guesses(recognised(profile, people.truth)))
    return Played(tuple(tries), people.shared, 1 / len(people.register), _left_out(people))


def _filters(people: Scene, schema: Schema, seed: int) -> Bits:
    rng = np.random.default_rng([seed, 3])
    encoder = Encoder(schema, OwnerKey(rng.bytes(32)), project="attacked")
    return Bits(encoder.record_level(people.targets, rng=rng), encoder.m)


def _views(people: Scene, schema: Schema, seed: int) -> list[View]:
    return views_of(_filters(people, schema, seed), people.register, schema, keys=_keys(people))


def _keys(people: Scene) -> int:
    return 1 if len(people.register) >= MANY else KEYS


def _guesses(found: Recognised) -> Guesses:
    return Guesses(found.first, found.ten)


def _step(told: OnStep, number: int, tries: int, rounds: int) -> OnStep:
    """Rounds of this try as steps of all tries."""
    return lambda done, _: told(number * rounds + done, tries * rounds)


def _left_out(people: Scene) -> tuple[str, ...]:
    names = ", ".join(people.left_out)
    return (f"generated people have no {names}: left empty",) if names else ()
