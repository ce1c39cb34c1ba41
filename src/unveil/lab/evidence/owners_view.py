"""Attacks by an owner: which of its own records are in the other register, from all that it is sent."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.engines import choose
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.evaluation.guessing import auc
from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.finding import Guesses, OnStep
from unveil.lab.evidence.scene import as_schema_reads
from unveil.lab.simulation.machines import SimulationSettings
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.wishes_seen import WishesSeen
from unveil.lab.simulation.world import World
from unveil.lab.synthetic import Registers
from unveil.projects.new_project import EVENNESS
from unveil.protocol.roles import owner
from unveil.records import Column, Records
from unveil.schema import Schema
from unveil.schema.presets import with_preset

#: Share of an owner's records of which it plants a near-copy.
_PLANTED: Final = 0.3
#: How many targets an owner has at once, half of them members, at most so many of its records; and copies of each.
_TARGETS: Final = 60
_MOST: Final = 0.1
_COPIES: Final = 4
_RUNS: Final = 5
#: Pairs are opened unless the record unit is so sure.
_FEW_OPENED: Final = 0.9
_OVERLAP: Final = 0.2
_ERROR: Final = 0.1
_BATCHES: Final = 0.2  # of a preset's batches, for the few people of a small world


def membership_from_wishes(setting: AttackSettings, told: OnStep) -> Played:
    """
    An owner plants near-copies of some targets, and counts what is wished for of a target and its copies together.

    Each try is a way of counting, on average over some runs with other targets each: few at a time, or copies would
    crowd out what is asked of all others. Few pairs are opened: where nearly all are, every record
    is wished for, and wishes tell nothing anyway.
    """
    people = _registers(setting)
    schema = _project(setting.schema, setting.people, evenness=0.0 if setting.weak else EVENNESS)
    schema = schema.model_copy(update={"protocol": schema.protocol.model_copy(update={"p_t": _FEW_OPENED})})
    found, targets = [], 0
    for number in range(_RUNS):
        seed = setting.seed + number
        planted, groups, member = _with_slips(people, setting.schema, seed)
        study = Study("people", schema, planted, people.b, people.truth, choose(), seed=seed)
        seen = WishesSeen(owner("a"))
        World(study, schema, SimulationSettings(seed=seed, error=_ERROR, near_copies=1.0), tap=seen).run()
        times = seen.counts()[groups]
        guesses = (times.sum(axis=1), times.max(axis=1), (times > 0).sum(axis=1))
        found.append([auc(np.asarray(guess, np.float64), member) for guess in guesses])
        targets += len(member)
        told(1 + number, _RUNS)
    means = np.mean(found, axis=0).tolist()
    each = "by wishes in all, the most of one, how many are wished for"
    notes = (f"{targets} targets with {_COPIES} copies each, in {_RUNS} runs; {each}",)
    return Played(tuple(Guesses(max(mean, 1 - mean)) for mean in means), targets, 0.5, notes)


def membership_from_link_ids(setting: AttackSettings, told: OnStep) -> Played:
    """
    An owner plants near-copies of its records and looks whether record and copy got the same link id.

    The control gives one id to all records that were matched with the same record of the other owner.
    """
    people = _registers(setting)
    planted, original = _with_copies(people.a, setting.seed)
    schema = _project(setting.schema, setting.people, evenness=EVENNESS)
    study = Study("people", schema, planted, people.b, people.truth, choose(), seed=setting.seed)
    told(1, 3)
    settings = SimulationSettings(seed=setting.seed, error=_ERROR, t0=study.best[0], near_copies=1.0)
    world = World(study, schema, settings)
    world.run()
    told(3, 3)
    ids = _one_id_for_each_match(world) if setting.weak else world.owners[0].link_ids
    copies = np.arange(len(original)) + len(people.a)
    same = np.array([ids[copy] == ids[row] for copy, row in zip(copies, original, strict=True)], np.float64)
    member = np.isin(original, people.truth[:, 0])
    found = auc(same, member)
    return Played((Guesses(max(found, 1 - found)),), len(original), 0.5)


def _one_id_for_each_match(world: World) -> list[bytes]:
    """Ids as they were if records matched with one record of the other owner shared one."""
    pairs, outcome = world.record_unit.candidates.pairs, world.record_unit.layer.g
    left, right = world.candidate_rows
    ids = [f"alone {row}".encode() for row in range(len(world.study.a))]
    order = np.flatnonzero(outcome)
    for at in order[np.argsort(pairs.similarity[order])].tolist():
        ids[int(left[at])] = f"with {int(right[at])}".encode()
    return ids


def _registers(setting: AttackSettings) -> Registers:
    if setting.data is not None:
        return Registers(*read_dataset(setting.data, setting.schema))
    return as_schema_reads(setting.schema, setting.people, setting.seed, overlap=_OVERLAP, errors=1)[0]


def _project(schema: Schema, people: int, *, evenness: float) -> Schema:
    """The schema as a project runs it, with as many pairs to open as so many people are worth."""
    chosen = with_preset(schema, "unveil")
    share = min(1.0, _BATCHES * people / 2_000)
    batches = tuple(max(1, round(share * size)) for size in chosen.protocol.batches)
    changes = {"batches": batches, "evenness": evenness, "decoys": 0.1 if evenness else 0.0, "strangers": 4}
    return chosen.model_copy(update={"protocol": chosen.protocol.model_copy(update=changes)})


def _with_slips(people: Registers, schema: Schema, seed: int) -> tuple[Records, NDArray[np.int64], NDArray[np.bool_]]:
    """
    Register a and, after it, copies of targets, each with a slip of the pen in another attribute.

    Also the rows of each target and its copies, and which targets are members: as many as are not.
    """
    rng, records = np.random.default_rng([seed, 11]), people.a
    members = np.unique(np.asarray(people.truth)[:, 0])
    sides = (members, np.setdiff1d(np.arange(len(records)), members))
    count = max(1, min(_TARGETS // 2, round(_MOST * len(records) / 2), *map(len, sides)))
    targets = np.concatenate([rng.choice(side, count, replace=False) for side in sides])
    names = [each.name for each in schema.attributes if each.show == "characters"] or list(schema.names)
    rows = np.concatenate([np.arange(len(records)), np.tile(targets, _COPIES)])
    values = {name: [column[row] for row in rows.tolist()] for name, column in records.columns.items()}
    for copy in range(_COPIES):
        column = values[names[copy % len(names)]]
        for at in range(len(records) + copy * len(targets), len(records) + (copy + 1) * len(targets)):
            column[at] = column[at][:-1] + "X"
    ids = [*records.ids, *(f"slip-{row}" for row in range(_COPIES * len(targets)))]
    groups = np.column_stack(
        [targets, len(records) + np.arange(_COPIES * len(targets)).reshape(_COPIES, len(targets)).T]
    )
    planted = Records(ids, {name: Column.of(column) for name, column in values.items()})
    return planted, groups, np.repeat([True, False], count)


def _with_copies(records: Records, seed: int) -> tuple[Records, NDArray[np.int64]]:
    """The records and, after them, near-copies of some: another value in the last attribute; and which these are."""
    rng = np.random.default_rng([seed, 4])
    original = np.sort(rng.choice(len(records), round(_PLANTED * len(records)), replace=False))
    rows = np.concatenate([np.arange(len(records)), original])
    names = tuple(records.columns)
    columns = {}
    for name, column in records.columns.items():
        codes = column.codes[rows].copy()
        if name == names[-1]:
            codes[len(records) :] = rng.permutation(codes[len(records) :])
        columns[name] = Column(column.distinct, codes)
    ids = [*records.ids, *(f"copy-{row}" for row in range(len(original)))]
    return Records(ids, columns), original
