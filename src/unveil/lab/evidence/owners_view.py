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
from unveil.lab.simulation.membership import guessed
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import World
from unveil.lab.synthetic import Registers
from unveil.projects.new_project import EVENNESS
from unveil.records import Column, Records
from unveil.schema import Schema
from unveil.schema.presets import with_preset

#: Share of an owner's records of which it plants a near-copy.
_PLANTED: Final = 0.3
_OVERLAP: Final = 0.2
_ERROR: Final = 0.1
_BATCHES: Final = 0.2  # of a preset's batches, for the few people of a small world


def membership_from_wishes(setting: AttackSettings, told: OnStep) -> Played:
    """A guesser who was told the truth about half of the records, and sees every wish for the others."""
    people = _registers(setting)
    schema = _project(setting.schema, setting.people, evenness=0.0 if setting.weak else EVENNESS)
    study = Study("people", schema, people.a, people.b, people.truth, choose(), seed=setting.seed)
    told(1, 3)
    found = guessed(study, schema, SimulationSettings(seed=setting.seed, error=_ERROR, t0=study.best[0]))
    told(3, 3)
    return Played(tuple(Guesses(side.worst) for side in found.owners), len(people.a), 0.5)


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
