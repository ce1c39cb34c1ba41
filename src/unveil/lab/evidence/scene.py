"""Who is attacked, and the register that the attacker holds: people are made, or come from files with a known truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.synthetic import Registers, generate
from unveil.records import Column, Records
from unveil.schema import Schema, built_in

#: Layouts of generated people with the built-in schema that says what each column is.
_LAYOUTS: Final = (("voter", "person"), ("clinic", "clinic"))
_FEWEST: Final = 50


@dataclass(frozen=True, slots=True, repr=False)
class Scene:
    """
    Targets, the register of an attacker, and which entry of it is whose: -1 for targets who have none.

    `left_out` are attributes of the schema that generated people do not have: they are missing in every record.
    """

    targets: Records
    register: Records
    truth: NDArray[np.int64]
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Scene(<{len(self.targets)} targets, {len(self.register)} entries, {self.shared} shared>)"

    @property
    def shared(self) -> int:
        """How many targets have an entry."""
        return int((self.truth >= 0).sum())


def generated(schema: Schema, *, people: int, shared: float, seed: int) -> Scene:
    """
    A scene of generated people, in which a shared person has the same entry in both.

    That is the attacker to protect against: one with a good copy.
    """
    if people < _FEWEST:
        raise SettingError(f"{people} people are too few to attack", hint=f"take {_FEWEST} or more")
    if not 0 < shared <= 1:
        raise SettingError("the share of shared people is outside what is allowed", hint="above 0, at most 1")
    both = round(shared * people)
    made, left_out = as_schema_reads(schema, 2 * people - both, seed)
    return _split(made.a, people, both, seed, left_out)


def copied(records: Records, *, people: int, shared: float, seed: int) -> Scene:
    """A scene of real people: the attacker holds copies of so many of their entries, and entries of others."""
    both = round(shared * people)
    if 2 * people - both > len(records):
        most = int(len(records) / (2 - shared))
        raise SettingError(f"{len(records)} records are too few for {people} people", hint=f"take --people {most}")
    order = np.random.default_rng(seed).permutation(len(records))
    return _split(picked(records, order), people, both, seed, ())


def of_files(folder: Path, schema: Schema, *, people: int | None, shared: float | None, seed: int) -> Scene:
    """
    A scene of the files a, b and truth in a folder.

    Without a share the attacker holds b as it is, where entries of shared people differ; with one it holds copies of
    entries of a.
    """
    a, b, truth = read_dataset(folder, schema)
    if shared is not None:
        most = int(len(a) / (2 - shared))
        return copied(a, people=min(people or most, most), shared=shared, seed=seed)
    entry = np.full(len(a), -1, np.int64)
    entry[truth[:, 0]] = truth[:, 1]
    if people is None or people >= max(len(a), len(b)):
        return Scene(a, b, entry)
    # As large a share of the people is shared in a part of the files as in the whole of them.
    rng = np.random.default_rng(seed)
    both = truth[rng.permutation(len(truth))[: round(people * len(truth) / len(a))]]
    rows = [_filled_up(len(one), both[:, side], truth[:, side], people, rng) for side, one in enumerate((a, b))]
    place = {int(row): at for at, row in enumerate(rows[1])}
    partner = dict(zip(both[:, 0].tolist(), both[:, 1].tolist(), strict=True))
    found = np.array([place[partner[row]] if row in partner else -1 for row in rows[0].tolist()], np.int64)
    return Scene(picked(a, rows[0]), picked(b, rows[1]), found)


def as_schema_reads(
    schema: Schema, people: int, seed: int, *, overlap: float = 0.0, errors: int = 0
) -> tuple[Registers, tuple[str, ...]]:
    """
    Registers of generated people with the attributes of that schema, and those attributes that none of them has.

    A column of the attribute's name is taken, or one that says the same about a person.
    """
    choices = [(layout, _columns(schema, built_in(name))) for layout, name in _LAYOUTS]
    layout, columns = max(choices, key=lambda choice: sum(one is not None for one in choice[1].values()))
    if not any(columns.values()):
        raise SettingError(
            f"generated people have none of the attributes of the schema {schema.name}",
            hint="give each attribute its role in the schema, or attack real files with --data",
        )
    made = generate(records=people, overlap=overlap, errors=errors, seed=seed, layout=layout)
    a, b = (_with_columns(records, columns) for records in (made.a, made.b))
    return Registers(a, b, made.truth), tuple(name for name, column in columns.items() if column is None)


def _with_columns(records: Records, columns: dict[str, str | None]) -> Records:
    missing = Column.of([""] * len(records))
    found = {name: missing if column is None else records.columns[column] for name, column in columns.items()}
    return Records(records.ids, found)


def _columns(schema: Schema, made: Schema) -> dict[str, str | None]:
    by_role = {each.meaning: each.name for each in reversed(made.attributes)}
    names = set(made.names)
    return {
        each.name: each.name if each.name in names else by_role.get(each.meaning) if each.meaning != "other" else None
        for each in schema.attributes
    }


def picked(records: Records, rows: NDArray[np.int64]) -> Records:
    """Some of the records, in that order."""
    columns = {name: Column(column.distinct, column.codes[rows]) for name, column in records.columns.items()}
    return Records([records.ids[row] for row in rows.tolist()], columns)


def _split(people: Records, count: int, both: int, seed: int, left_out: tuple[str, ...]) -> Scene:
    """The first so many are targets, the last so many the register, each in an order of its own."""
    rng = np.random.default_rng([seed, 1])
    targets, register = rng.permutation(count), rng.permutation(count) + count - both
    place = np.full(2 * count - both, -1, np.int64)
    place[register] = np.arange(count)
    return Scene(picked(people, targets), picked(people, register), place[targets], left_out)


def _filled_up(
    size: int, chosen: NDArray[np.int64], shared: NDArray[np.int64], people: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """These rows, and as many of those who are in one register alone as are missing to that many people."""
    others = np.setdiff1d(np.arange(size), shared)
    some = rng.permutation(others)[: max(0, people - len(chosen))]
    return rng.permutation(np.concatenate([chosen, some]))
