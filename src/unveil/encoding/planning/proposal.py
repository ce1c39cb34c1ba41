"""
A schema for the columns of a file: attributes with roles, hash positions, weights, and blocking keys.

What is proposed is what the values say and what is assumed of errors by role. Whoever knows the registers better
changes it; `figures` then says what the changed schema would do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from unveil.encoding.planning.attribute_facts import AttributeFacts, attribute_facts
from unveil.encoding.planning.blocks import BlockingTable
from unveil.encoding.planning.column_roles import ColumnRole, column_roles, id_column
from unveil.encoding.planning.facts import ColumnFacts, facts_of, sample_of_rows, some_records
from unveil.encoding.planning.fill import fitting_h
from unveil.encoding.planning.key_choice import choose_keys
from unveil.encoding.planning.strangers import PersonMarks
from unveil.encoding.planning.trials import make_trials
from unveil.errors import SettingError
from unveil.records import Column, Records
from unveil.schema import Attribute, BlockingKey, Input, LayerA, LayerR, Schema
from unveil.schema.attribute_roles import ROLES

#: Is given a few words on what is being done.
Stage = Callable[[str], None]

_SAMPLE: Final = 50_000  # records that are enough to tell how rare keys are
#: Keys are chosen for registers that are worse than assumed: of four times the errors, with a tenth of values missing.
_TIMES: Final = 4.0
_MISSING: Final = 0.1
_APART: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class ProposedSchema:
    """
    The schema, and what it rests on.

    `columns` gives each column's role, or why it was left out, and `facts` the columns in numbers; `measured` has the
    facts of each attribute, of one owner's records or both's; `elsewhere` the column of the other owner's file.
    `records` are the owners' own, under numbers in the place of their ids.
    """

    schema: Schema
    columns: Mapping[str, ColumnRole]
    facts: Mapping[str, ColumnFacts] = field(repr=False)
    measured: Mapping[str, Sequence[AttributeFacts]] = field(repr=False)
    elsewhere: Mapping[str, str]
    records: Records
    other: Records | None


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The columns that make attributes: the attribute's name for each, and the other owner's column."""

    roles: Mapping[str, ColumnRole]
    names: Mapping[str, str]
    elsewhere: Mapping[str, str]


def propose(
    columns: Mapping[str, Column],
    other: Mapping[str, Column] | None = None,
    *,
    name: str = "proposed",
    record_id: str | None = None,
    stage: Stage = lambda _: None,
) -> ProposedSchema:
    """The schema for these columns of an owner's file, and of the other owner's where both can be had."""
    facts = _facts(columns, stage)
    identifier = id_column(facts, record_id)
    theirs = None if other is None else _facts(other, stage)
    chosen = _chosen(facts, theirs, identifier)
    records = _records(columns, {name: column for column, name in chosen.names.items()})
    others = (
        None if other is None else _records(other, {chosen.names[c]: there for c, there in chosen.elsewhere.items()})
    )
    drafts = [_draft(name, column, chosen.roles[column].role, facts[column]) for column, name in chosen.names.items()]
    stage("counting q-grams")
    schema = Schema(name=name, input=Input(id=identifier), attributes=tuple(drafts))
    sides = [(side, PersonMarks.of(side, schema)) for side in (records, others) if side is not None]
    measured = {draft.name: [attribute_facts(side, draft, marks) for side, marks in sides] for draft in drafts}
    schema = schema.model_copy(
        update={
            "attributes": tuple(_finished(draft, measured[draft.name]) for draft in drafts),
            "layer_r": LayerR(h=_record_h(list(measured.values()))),
        }
    )
    stage("trying blocking keys")
    schema = schema.model_copy(update={"blocking": proposed_keys(records, others, schema, measured)})
    return ProposedSchema(schema, chosen.roles, facts, measured, chosen.elsewhere, records, others)


def proposed_keys(
    records: Records, other: Records | None, schema: Schema, measured: Mapping[str, Sequence[AttributeFacts]]
) -> tuple[BlockingKey, ...]:
    """Blocking keys for these records, from what is there and what is assumed to go wrong."""
    missing = {name: max(_MISSING, facts[-1].missing) for name, facts in measured.items()}
    sample = some_records(records, sample_of_rows(len(records), _SAMPLE))
    # One register tells how rare keys are: between two, pairs of the same person would count as agreeing by chance.
    table = BlockingTable(sample, None, schema)
    size = max(len(records), len(other) if other is not None else 0)
    return choose_keys(table, make_trials(sample, schema, missing, times=_TIMES), records=size)


def attribute_names(columns: Sequence[str], roles: Sequence[str]) -> list[str]:
    """A name for the attribute of each column: the column's own in plain letters, or that of its role."""
    names: list[str] = []
    for column, role in zip(columns, roles, strict=True):
        plain = unicodedata.normalize("NFKD", column.casefold().replace("ß", "ss"))
        slug = _APART.sub("_", "".join(c for c in plain if not unicodedata.combining(c))).strip("_")
        first = slug if slug[:1].isalpha() else role
        tries = (first, *(f"{first}_{number}" for number in range(2, len(columns) + 2)))
        names.append(next(one for one in tries if one not in names))
    return names


def _facts(columns: Mapping[str, Column], stage: Stage) -> dict[str, ColumnFacts]:
    found = {}
    for name, column in columns.items():
        stage(f"looking at {name}")
        found[name] = facts_of(column)
    return found


def _chosen(facts: Mapping[str, ColumnFacts], theirs: Mapping[str, ColumnFacts] | None, identifier: str) -> _Chosen:
    roles, elsewhere = column_roles(facts, identifier), {}
    if theirs is not None:
        elsewhere = _same_elsewhere(
            roles, column_roles(theirs, identifier if identifier in theirs else id_column(theirs))
        )
        for name, column in roles.items():
            there = elsewhere.get(name)
            if there is None:
                roles[name] = replace(column, left_out=column.left_out or "the other file has no such column")
            elif column.role == "birth_date" and facts[name].order != theirs[there].order:
                remark = (
                    f"written {facts[name].order} here and {theirs[there].order} in the other file: write both alike"
                )
                roles[name] = replace(column, remark=remark)
    kept = [name for name, column in roles.items() if column.left_out is None]
    if not kept:
        raise SettingError("no column is of use", hint="columns must hold marks of people: names, dates, addresses")
    names = attribute_names(kept, [roles[column].role for column in kept])
    return _Chosen(roles, dict(zip(kept, names, strict=True)), {c: elsewhere[c] for c in kept if c in elsewhere})


def _same_elsewhere(roles: Mapping[str, ColumnRole], theirs: Mapping[str, ColumnRole]) -> dict[str, str]:
    """For each column the one of the other file that holds the same: of its name, else the only one of its role."""
    found = {name: name for name in roles if name in theirs}
    for name, column in roles.items():
        free = [other for other, there in theirs.items() if there.role == column.role and other not in found.values()]
        if name not in found and len(free) == 1 and column.role != "other":
            found[name] = free[0]
    return found


def _records(columns: Mapping[str, Column], attributes: Mapping[str, str]) -> Records:
    count = len(next(iter(columns.values())))
    return Records([str(row) for row in range(count)], {name: columns[column] for name, column in attributes.items()})


def _draft(name: str, column: str, role: str, facts: ColumnFacts) -> Attribute:
    """The attribute without what follows from its values."""
    in_digits = facts.most_are("digits alone", 0.95)
    return Attribute(
        name=name,
        column=None if name == column else column,
        role=role,
        normalise=("digits-only",) if in_digits else Attribute.model_fields["normalise"].default,
        frequency=ROLES[role].counted,
        show="placeholders" if in_digits or ROLES[role].number else "characters",
    )


def _finished(draft: Attribute, measured: Sequence[AttributeFacts]) -> Attribute:
    counts = np.concatenate([facts.tokens for facts in measured])
    # Weights of registers that differ: the more common agreement is, the less is claimed.
    weight = min(facts.weight(draft.meaning) for facts in measured)
    return draft.model_copy(update={"h": fitting_h(counts, m=LayerA().m), "weight": round(weight, 2)})


def _record_h(measured: Sequence[Sequence[AttributeFacts]]) -> int:
    """The h of the record-level filter: every attribute adds its q-grams."""
    sides = zip(*([facts.tokens for facts in sides] for sides in measured), strict=True)
    return fitting_h(np.concatenate([np.sum(side, axis=0) for side in sides]), m=LayerR().m)
