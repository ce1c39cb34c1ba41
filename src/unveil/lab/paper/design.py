"""
Evaluation sets from a register, by the published design.

Of a shared voter A holds the entry in the newest snapshot, and B the latest earlier entry that is unequal in at least
one (E1) or two (E2) of first name, middle name, last name, place of birth, and address (city and ZIP code count once;
missing against present is unequal). The year of birth is copied from A to B. S, M and L share 10, 20 and 30 % of their
records. The other records of A come from the newest snapshot, those of B from earlier ones, as the shared ones do. No
two records of a set are equal in every attribute.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from unveil.errors import SettingError
from unveil.lab.paper.register import COLUMNS, Register, Values, VoterEntry
from unveil.lab.synthetic import Registers, write
from unveil.records import Column, Records

SHARES: Final = {"S": 0.1, "M": 0.2, "L": 0.3}
_NAME: Final = re.compile(r"E([12])([SML])")
_ORDER: Final = ("first_name", "middle_name", "last_name", "year_of_birth", "city", "zip", "place_of_birth")
_AT: Final = {name: place for place, name in enumerate(COLUMNS)}
#: What counts as one attribute when entries are compared.
_COUNTED: Final = (("first_name",), ("middle_name",), ("last_name",), ("place_of_birth",), ("city", "zip"))

Pair = tuple[Values, Values]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A set to be made."""

    name: str
    errors: int
    records: int
    shared: int


def parse_sets(text: str, *, records: int) -> list[Wanted]:
    """The sets named in a text such as "E1M,E2S"."""
    if records < 1:
        raise SettingError("--records must be at least 1")
    wanted = []
    for name in dict.fromkeys(part.strip().upper() for part in text.split(",") if part.strip()):
        found = _NAME.fullmatch(name)
        if found is None:
            raise SettingError(f"no set {name}", hint="sets are E1S, E1M, E1L, E2S, E2M and E2L")
        wanted.append(Wanted(name, int(found[1]), records, round(SHARES[found[2]] * records)))
    if not wanted:
        raise SettingError("no set is named", hint="try --sets E1M,E2M")
    return wanted


def refuse_filled(out: Path, wanted: Sequence[Wanted], *, force: bool) -> None:
    """Refuse to write over sets that are there, before the long reading begins."""
    for one in wanted:
        folder = out / one.name
        if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not force)):
            raise SettingError(f"{folder} is not empty", hint="give another --out, or --force to write into it")


def make_sets(register: Register, wanted: Sequence[Wanted], out: Path, *, seed: int) -> list[dict[str, Any]]:
    """Write every wanted set into a folder of its name and return what was written. All are made before any is."""
    made = [(one, make_set(register, one, seed=seed)) for one in wanted]
    for one, population in made:
        try:
            write(population, out / one.name)
        except OSError as error:
            raise SettingError(f"cannot write to {out / one.name}: {error.strerror}") from None
    return [{"name": one.name, "records": one.records, "shared": one.shared} for one, _ in made]


def unequal(left: Values, right: Values) -> int:
    """In how many of the five counted attributes two entries differ."""
    return sum(any(left[_AT[name]] != right[_AT[name]] for name in group) for group in _COUNTED)


def make_set(register: Register, wanted: Wanted, *, seed: int) -> Registers:
    """One set; the same register and seed give the same set, in whichever order the files were read."""
    rng = np.random.default_rng([seed, zlib.crc32(wanted.name.encode())])
    voters = sorted(register.voters)
    order = [voters[place] for place in rng.permutation(len(voters))]
    taken: set[Values] = set()
    used: set[bytes] = set()
    shared: list[Pair] = []
    for voter, pair in _pairs(register, order, wanted.errors):
        if len(shared) == wanted.shared:
            break
        # Records that nobody could tell apart are not drawn twice.
        if taken.isdisjoint(pair) and pair[0] != pair[1]:
            taken.update(pair)
            used.add(voter)
            shared.append(pair)
    if len(shared) < wanted.shared:
        what = f"voters have an earlier entry with at least {wanted.errors} unequal"
        raise _too_few(register, wanted.name, len(shared), wanted.shared, what)
    alone = wanted.records - wanted.shared
    sides = []
    for newest in (True, False):
        drawn = _alone(register, order, newest=newest, number=alone, taken=taken, used=used)
        if len(drawn) < alone:
            what = f"further voters are in {'the newest snapshot' if newest else 'an earlier snapshot'}"
            raise _too_few(register, wanted.name, len(drawn), alone, what)
        sides.append(drawn)
    left = [pair[0] for pair in shared] + sides[0]
    right = [pair[1] for pair in shared] + sides[1]
    return _shuffled(left, right, len(shared), rng)


def _pairs(register: Register, order: Sequence[bytes], errors: int) -> Iterator[tuple[bytes, Pair]]:
    for voter in order:
        entries = register.voters[voter]
        origin = next((entry for entry in entries if entry.last == register.newest), None)
        if origin is None:
            continue
        partner = next(
            (
                entry
                for entry in entries
                if entry.first < register.newest and unequal(origin.values, entry.values) >= errors
            ),
            None,
        )
        if partner is not None:
            yield voter, (_record(origin, origin.year), _record(partner, origin.year))


def _alone(
    register: Register, order: Sequence[bytes], *, newest: bool, number: int, taken: set[Values], used: set[bytes]
) -> list[Values]:
    """Records of voters who stand in one source only."""
    drawn: list[Values] = []
    for voter in order:
        if len(drawn) == number:
            break
        if voter in used:
            continue
        fitting = (
            entry
            for entry in register.voters[voter]
            if (entry.last == register.newest if newest else entry.first < register.newest)
        )
        entry = next(fitting, None)
        if entry is None or (record := _record(entry, entry.year)) in taken:
            continue
        taken.add(record)
        used.add(voter)
        drawn.append(record)
    return drawn


def _record(entry: VoterEntry, year: int) -> Values:
    return tuple(str(year) if name == "year_of_birth" else entry.values[_AT[name]] for name in _ORDER)


def _shuffled(left: Sequence[Values], right: Sequence[Values], shared: int, rng: np.random.Generator) -> Registers:
    """Both sources in random order; ids count the rows, so they say nothing about who is who."""
    order_a, order_b = rng.permutation(len(left)), rng.permutation(len(right))
    truth = np.stack([np.argsort(order_a)[:shared], np.argsort(order_b)[:shared]], axis=1)
    return Registers(
        _records("a", [left[row] for row in order_a]),
        _records("b", [right[row] for row in order_b]),
        truth[np.argsort(truth[:, 0])],
    )


def _records(source: str, rows: Sequence[Values]) -> Records:
    ids = [f"{source}{row:06d}" for row in range(len(rows))]
    return Records(ids, {name: Column.of(row[place] for row in rows) for place, name in enumerate(_ORDER)})


def _too_few(register: Register, name: str, found: int, needed: int, what: str) -> SettingError:
    if register.dropped:
        hint = f"only {len(register.voters):,} voters were kept: give a larger --voters, or a smaller --records"
    else:
        hint = "give more snapshots, or a smaller --records"
    return SettingError(f"{name}: {found:,} {what}, {needed:,} are needed", hint=hint)
