"""Collecting the figures of a report: of an owner's folder, of a data set, or of generated people alone."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

import unveil
from unveil.encoding.encoder import Encoder
from unveil.engines import choose
from unveil.errors import SettingError
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.evidence.attack import AttackSettings
from unveil.lab.evidence.catalogue import FIFTH, attack_named, play
from unveil.lab.evidence.codings import fields_of
from unveil.lab.evidence.finding import AttackFinding, OnStep
from unveil.lab.evidence.plan import QUICK
from unveil.lab.evidence.report.figures import Disclosed, LeftTo, Measured, PartyHolds, PrivacyFigures
from unveil.lab.evidence.report.words import encoding_words, holdings
from unveil.lab.evidence.scene import as_schema_reads
from unveil.lab.evidence.trade import ChosenDefault, Traded
from unveil.lab.simulation.machines import SimulationSettings
from unveil.lab.simulation.run import simulate
from unveil.lab.simulation.study import Study, simulation_key
from unveil.linkage.bits import Bits
from unveil.one_place.stopwatch import Stopwatch
from unveil.privacy.combinations import known_together, sharing
from unveil.privacy.ledger_risk import ledger_risk
from unveil.privacy.spread import Spread, spread
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT
from unveil.records import Records
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER, Ledger
from unveil.runtime.owner.observer import Unwatched
from unveil.runtime.owner.view import viewing
from unveil.schema import Schema
from unveil.schema.presets import with_preset

#: Attacks that a report plays, with the share of people of whom the attacker holds an entry. Others take minutes.
PLAYED: Final = (
    ("graph-matching", 1.0), ("graph-matching", FIFTH), ("stripping", 1.0), ("known-people", 1.0),
    ("keys-and-filters", 1.0), ("keys-and-known-people", 1.0), ("salt-groups", None),
    ("upload-order", 1.0), ("joining-pairs", None), ("value-lengths", None), ("value-frequencies", 1.0),
    ("bits-to-attributes", None), ("key-patterns", 1.0), ("frequent-keys", FIFTH), ("membership-wishes", None),
    ("membership-link-ids", None),
)  # fmt: skip
#: Attacks that take no longer for more people, and that fewer would show nothing of.
_SIZED: Final = frozenset({"wishes", "pairs", "keys"})
_COMBINATIONS: Final = 12
_ENCODED: Final = 20_000  # records that bit statistics are taken of, at most
_PAIRS: Final = 500  # keys that attribute filters are made under
_OVERLAP, _BUDGET, _ERROR = 0.2, 100, 0.2

Stage = Callable[[str, float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a report is about: a schema, whose records, and what of them was disclosed."""

    name: str
    schema: Schema
    records: Records
    of_whom: str
    ledger: Ledger | None
    uploaded: int
    parties: tuple[PartyHolds, ...]
    command: str


def owners_folder(folder: Path, *, demonstration: bool) -> Subject:
    """The subject of an owner's folder: its project, its records and its ledger."""
    with viewing(folder, demonstration=demonstration, observer=Unwatched()) as view:
        if view is None:
            raise SettingError(
                f"{folder}: nothing was begun, so there is no ledger",
                hint="run unveil owner run first, or give --schema or --data",
            )
        project, ledger = view.folder.member.project, view.machine.ledger
        records, owner = view.folder.records, view.folder.config.name
        schema = project.linkage
    who = {party.role: party.name or party.address or "" for party in project.parties}
    return Subject(
        name=f"project {project.name}, owner {owner}",
        schema=schema,
        records=records,
        of_whom="the owner's own records",
        ledger=ledger,
        uploaded=len(records),
        parties=holdings(schema, who),
        command=f"unveil owner ledger {shlex.quote(str(folder))} --json",
    )


def data_set(folder: Path, schema: Schema) -> Subject:
    """The subject of a data set: nothing was disclosed of it yet."""
    a, _, _ = read_dataset(folder, schema)
    return Subject(
        name=f"data set {folder.resolve().name}", schema=schema, records=a, of_whom="the records of a", ledger=None,
        uploaded=0, parties=holdings(schema, {}), command="",
    )  # fmt: skip


def schema_alone(schema: Schema, *, people: int, seed: int) -> Subject:
    """The subject of a schema: generated people stand in."""
    records = as_schema_reads(schema, people, seed, overlap=_OVERLAP, errors=1)[0].a
    return Subject(
        name=f"schema {schema.name}", schema=schema, records=records, of_whom="generated people", ledger=None,
        uploaded=0, parties=holdings(schema, {}), command="",
    )  # fmt: skip


def gathered(
    subject: Subject,
    *,
    people: int,
    seed: int,
    command: str,
    stage: Stage = lambda _, __: None,
    known: int | None = None,
    larger: tuple[AttackFinding, ...] = (),
    traded: tuple[Traded, ...] = (),
    choice: ChosenDefault | None = None,
) -> PrivacyFigures:
    """Everything that the report says; attacks are played on generated people, whoever the subject is."""
    schema = subject.schema
    stage("linking generated people", 0.0)
    simulated = _simulated(schema, people, seed, command)
    disclosed = simulated if subject.ledger is None else _of_ledger(subject, subject.ledger, simulated.kapr)
    stage("measuring encodings", 0.2)
    measured = _measured(subject, command)
    found = list(larger)
    already = {(one.attack, one.shared) for one in larger}
    todo = [each for each in PLAYED if each not in already and attack_named(each[0]).fits(schema)]
    for number, (name, shared) in enumerate(todo):
        sized = attack_named(name).sized
        attacked = max(people, getattr(QUICK, sized)) if sized in _SIZED else people
        setting = AttackSettings(
            schema=schema, people=attacked, shared=shared, known=known or max(20, people // 10), tries=1, seed=seed
        )
        step: OnStep = _within(stage, name, 0.3 + 0.7 * number / len(todo), 0.7 / len(todo))
        step(0, 1)
        found.append(play(attack_named(name), setting, told=step))
    return PrivacyFigures(
        title="What this linkage could tell, and to whom",
        subject=subject.name,
        schema=schema.name,
        fingerprint=schema.fingerprint(),
        encoding=encoding_words(schema),
        is_salted=bool(fields_of(schema)),
        compares_by_keys=len(schema.blocking),
        parties=subject.parties,
        disclosed=disclosed,
        measured=measured,
        attacks=tuple(found),
        traded=traded,
        choice=choice,
        version=unveil.__version__,
        command=command,
    )


def _simulated(schema: Schema, people: int, seed: int, command: str) -> Disclosed:
    """What one owner of generated people disclosed, and KAPR of what reviewers held and saw."""
    made = as_schema_reads(schema, people, seed, overlap=_OVERLAP, errors=1)[0]
    chosen = with_preset(schema, "unveil", budget=_BUDGET)
    share = min(1.0, people / 20_000)
    batches = tuple(max(1, round(share * size)) for size in chosen.protocol.batches)
    chosen = chosen.model_copy(update={"protocol": chosen.protocol.model_copy(update={"batches": batches})})
    study = Study("people", chosen, made.a, made.b, made.truth, choose(), seed=seed)
    settings = SimulationSettings(seed=seed, error=_ERROR, t0=study.best[0])
    run, world = simulate(study, chosen, settings, Stopwatch.start(time.perf_counter), preset="unveil")
    subject = Subject(
        name="", schema=schema, records=made.a, of_whom="generated people", ledger=None, uploaded=people, parties=(),
        command=command,
    )  # fmt: skip
    return replace(_of_ledger(subject, world.owners[0].ledger, run.kapr), real=False)


def _of_ledger(subject: Subject, ledger: Ledger, kapr: Mapping[str, float]) -> Disclosed:
    names = subject.schema.names
    left = []
    for unit, layer in ((str(ATTRIBUTE_UNIT), ATTRIBUTE_LAYER), (str(REVIEW_UNIT), REVIEW_LAYER)):
        shown = ledger.disclosed(layer)
        left.append(
            LeftTo(
                unit=unit,
                disclosures=ledger.pairs(layer),
                values=ledger.disclosures(layer),
                records=int(shown.any(axis=1).sum()),
                most_of_one=int(shown.sum(axis=1).max(initial=0)),
                by_attribute=dict(zip(names, ledger.records(layer).tolist(), strict=True)),
            )
        )
    reviewed = ledger.disclosed(REVIEW_LAYER)
    return Disclosed(
        real=True,
        records=len(subject.records),
        uploaded=subject.uploaded,
        left=tuple(left),
        risk=ledger_risk(reviewed, subject.records, names),
        together=tuple(known_together(reviewed, subject.records, names, most=_COMBINATIONS)),
        kapr=dict(kapr),
        command=subject.command,
    )


def _measured(subject: Subject, command: str) -> Measured:
    """Bit statistics under a key of no meaning: the owner's own is not needed, for they are alike under every key."""
    schema, records = subject.schema, subject.records
    if len(records) > _ENCODED:
        columns = {
            name: type(column)(column.distinct, column.codes[:_ENCODED]) for name, column in records.columns.items()
        }
        records = Records(records.ids[:_ENCODED], columns)
    encoder = Encoder(schema, simulation_key(1), project="measured")
    rng = np.random.default_rng(1)
    spreads: dict[str, Spread] = {"record": spread(Bits(encoder.record_level(records, rng=rng), encoder.m))}
    rows = rng.integers(0, len(records), _PAIRS)
    keyed = encoder.pair_level(records, rows, [rng.bytes(32) for _ in range(_PAIRS)])
    for at, name in enumerate(schema.names):
        words = np.ascontiguousarray(keyed[:, at])
        spreads[f"attribute {name}"] = spread(Bits(words[words.any(axis=1)], schema.layer_a.length))
    unique = int((sharing(subject.records, schema.names) == 1).sum())
    return Measured(spreads, unique, len(subject.records), subject.of_whom, command)


def _within(stage: Stage, name: str, begun: float, part: float) -> OnStep:
    return lambda done, of: stage(f"attack: {name}", begun + part * done / max(1, of))
