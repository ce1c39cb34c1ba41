"""Attacks on what surrounds the encodings: in which order they come."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.finding import Guesses, OnStep
from unveil.roles.chance import SeededDraw
from unveil.roles.handles import Handles
from unveil.runtime.system_chance import SystemDraw

_SORTED_BY: Final = ("last_name", "first_name")


def order_of_uploads(setting: AttackSettings, told: OnStep) -> Played:
    """
    Initials of a register that its owner keeps sorted, guessed by where a record stands in the upload.

    The guesser knows the names of another register. The control uploads in the order of the file.
    """
    people = setting.scene()
    name = _sorted_by(setting)
    targets = sorted(people.targets.columns[name].values(), key=str.casefold)
    known = sorted(_initial(value) for value in people.register.columns[name].values())
    tries = []
    for number in range(setting.tries):
        count = len(targets)
        handles = SeededDraw(f"in order {number}").handles(count) if setting.weak else SystemDraw().handles(count)
        there = [_initial(targets[row]) for row in Handles(handles).order.tolist()]
        step = len(known) / count
        guessed = [known[min(len(known) - 1, int(place * step))] for place in range(count)]
        tries.append(Guesses(float(np.mean([one == other for one, other in zip(guessed, there, strict=True)]))))
        told(number + 1, setting.tries)
    constant = max(Counter(map(_initial, targets)).values()) / len(targets)
    return Played(tuple(tries), len(targets), constant)


def _sorted_by(setting: AttackSettings) -> str:
    names = setting.schema.names
    return next((name for name in _SORTED_BY if name in names), names[0])


def _initial(name: str) -> str:
    return name[:1].casefold()
