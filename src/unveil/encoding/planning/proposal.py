"""
A schema for the columns of a file: attributes with roles, hash positions, weights, and blocking keys.

What is proposed is what the values say and what is assumed of errors by role. Whoever knows the registers better
changes it; `figures` then says what the changed schema would do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from unveil.encoding.planning.attribute_facts import AttributeFacts, attribute_facts
from unveil.encoding.planning.blocks import BlockingTable
from unveil.encoding.planning.column_roles import ROW, ColumnRole, column_roles, id_column
from unveil.encoding.planning.drafts import drafted
from unveil.encoding.planning.facts import ColumnFacts, facts_of, sample_of_rows, some_records
from unveil.encoding.planning.fill import HALF, fitting_h
from unveil.encoding.planning.joined_columns import TogetherRead, joined, read_together
from unveil.encoding.planning.key_choice import choose_keys
from unveil.encoding.planning.protection import LENGTH, SIGNS, protected, short_keys, weighed
from unveil.encoding.planning.strangers import PersonMarks
from unveil.encoding.planning.trials import make_trials
from unveil.errors import SettingError
from unveil.forms.column_forms import in_form
from unveil.forms.dates import First
from unveil.forms.findings import many
from unveil.records import Column, Records
from unveil.schema import Attribute, BlockingKey, Input, LayerA, Schema
from unveil.settings.mistakes import near

#: Is given a few words on what is being done.
Stage = Callable[[str], None]

_SAMPLE: Final = 50_000  # records that are enough to tell how rare keys are
#: Keys are chosen for registers that are worse than assumed: of four times the errors, with a tenth of values missing.
_TIMES: Final = 4.0
_MISSING: Final = 0.1
_FEW: Final = 3  # records
_APART: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class ProposedSchema:
    """
    The schema, and what it rests on.

    `columns` gives each column's role, or why it was left out, and `facts` the columns in numbers; `measured` has the
    facts of each attribute, of one owner's records or both's; `elsewhere` the column of the other owner's file.
    `records` are the owners' own, under numbers in the place of their ids; `warnings` tell by owner of values that were
    hard to read, and name columns.
    """

    schema: Schema
    columns: Mapping[str, ColumnRole]
    facts: Mapping[str, ColumnFacts] = field(repr=False)
    measured: Mapping[str, Sequence[AttributeFacts]] = field(repr=False)
    elsewhere: Mapping[str, str]
    records: Records
    other: Records | None
    other_id: str | None = None
    warnings: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    theirs: Mapping[str, ColumnRole] = field(default_factory=dict)  #: the other owner's columns
    their_facts: Mapping[str, ColumnFacts] = field(default_factory=dict, repr=False)
    together: tuple[Sequence[TogetherRead], Sequence[TogetherRead]] = ((), ())  #: columns of both that are read as one


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The columns that make attributes: the attribute's name for each, and the other owner's column."""

    roles: Mapping[str, ColumnRole]
    names: Mapping[str, str]
    elsewhere: Mapping[str, str]
    theirs: Mapping[str, ColumnRole]


def propose(
    columns: Mapping[str, Column],
    other: Mapping[str, Column] | None = None,
    *,
    name: str = "proposed",
    record_id: str | None = None,
    other_id: str | None = None,
    said: Mapping[str, str] | None = None,
    other_said: Mapping[str, str] | None = None,
    dates: tuple[First | None, First | None] = (None, None),
    stage: Stage = lambda _: None,
) -> ProposedSchema:
    """
    The schema for these columns of an owner's file, and of the other owner's where both can be had.

    `said` gives by attribute the column that a person named for it, `other_said` the other file's; `dates` what
    comes first in the dates of either.
    """
    for names, there in ((said, columns), (other_said, other)):
        for column in (names or {}).values():
            if column not in (there or {}):
                raise SettingError(f"no column {column}{near(column, there or {})}", hint="name a column of the file")
    together: tuple[list[TogetherRead], list[TogetherRead]] = ([], [])
    if other is not None:
        settled = {*(said or {}).values(), *(other_said or {}).values()}
        together = read_together(columns, other, settled=settled), read_together(other, columns, settled=settled)
        columns, other = joined(columns, together[0]), joined(other, together[1])
        said, other_said = _said_together(together, said or {}, other_said or {})
    facts = _facts(columns, stage)
    identifier = id_column(facts, record_id)
    theirs = None if other is None else _facts(other, stage)
    if theirs is not None:
        wanted = other_id or (identifier if identifier in theirs else None)
        other_id = id_column(theirs, wanted, fallback=ROW)
    chosen = _chosen(facts, theirs, (identifier, other_id), (said or {}, other_said or {}))
    drafts = []
    for column, attribute in chosen.names.items():
        called = chosen.elsewhere.get(column, column)
        both = [columns[column], *([] if other is None else [other[called]])]
        draft = drafted(attribute, column, chosen.roles[column].role, facts[column], both)
        drafts.append(draft.model_copy(update={"other_columns": (called,)} if called != column else {}))
    own = _formed(columns, {draft: draft.source for draft in drafts}, dates[0])
    in_other = {} if other is None else {draft: chosen.elsewhere[draft.source] for draft in drafts}
    formed = None if other is None else _formed(other, in_other, dates[1])
    records, others = own.records, None if formed is None else formed.records
    stage("counting q-grams")
    other_ids = () if other_id in {None, identifier} else (str(other_id),)
    schema = Schema(name=name, input=Input(id=identifier, other_ids=other_ids), attributes=tuple(drafts))
    sides = [(side, PersonMarks.of(side, schema)) for side in (records, others) if side is not None]
    measured = {draft.name: [attribute_facts(side, draft, marks) for side, marks in sides] for draft in drafts}
    finished = weighed(
        [_finished(draft, measured[draft.name]) for draft in drafts], [_mean_tokens(measured[d.name]) for d in drafts]
    )
    schema = schema.model_copy(
        update={
            "attributes": finished,
            "layer_r": protected(drafts, _record_h(finished, list(measured.values()))).model_copy(
                update={"key_bits": short_keys(max(len(side) for side, _ in sides))}
            ),
            "layer_a": LayerA(signs=SIGNS),
        }
    )
    stage("trying blocking keys")
    schema = schema.model_copy(update={"blocking": proposed_keys(records, others, schema, measured)})
    warnings = (own.warnings, () if formed is None else formed.warnings)
    return ProposedSchema(
        schema, chosen.roles, facts, measured, chosen.elsewhere, records, others, other_id, warnings,
        theirs=chosen.theirs, their_facts=theirs or {}, together=together,
    )  # fmt: skip


def _said_together(
    together: tuple[Sequence[TogetherRead], Sequence[TogetherRead]], said: Mapping[str, str], other: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """What a person said of either file, and with it which columns of both are one attribute."""
    ours, theirs = dict(said), dict(other)
    for side, own, there in ((together[0], ours, theirs), (together[1], theirs, ours)):
        for one in side:
            name = attribute_names([one.whole], ["name"], taken=[*ours, *theirs])[0]
            own[name], there[name] = one.name, one.whole
    return ours, theirs


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


def attribute_names(columns: Sequence[str], roles: Sequence[str], *, taken: Collection[str] = ()) -> list[str]:
    """A name for the attribute of each column: the column's own in plain letters, or that of its role."""
    names: list[str] = []
    for column, role in zip(columns, roles, strict=True):
        plain = unicodedata.normalize("NFKD", column.casefold().replace("ß", "ss"))
        slug = _APART.sub("_", "".join(c for c in plain if not unicodedata.combining(c))).strip("_")
        first = slug if slug[:1].isalpha() else role
        tries = (first, *(f"{first}_{number}" for number in range(2, len(columns) + len(taken) + 2)))
        names.append(next(one for one in tries if one not in names and one not in taken))
    return names


def _facts(columns: Mapping[str, Column], stage: Stage) -> dict[str, ColumnFacts]:
    found = {}
    for name, column in columns.items():
        stage(f"looking at {name}")
        found[name] = facts_of(column)
    return found


def _chosen(
    facts: Mapping[str, ColumnFacts],
    theirs: Mapping[str, ColumnFacts] | None,
    identifiers: tuple[str, str | None],
    said: tuple[Mapping[str, str], Mapping[str, str]],
) -> _Chosen:
    attribute_of = {column: attribute for attribute, column in said[0].items()}
    roles, elsewhere = column_roles(facts, identifiers[0], said=attribute_of), {}
    their_roles: dict[str, ColumnRole] = {}
    if theirs is not None:
        of_theirs = {column: attribute for attribute, column in said[1].items()}
        their_roles = column_roles(theirs, identifiers[1] or "", said=of_theirs)
        named = {said[0].get(attribute, attribute): column for attribute, column in said[1].items()}
        elsewhere = _same_elsewhere(roles, their_roles, named)
        for name, column in roles.items():
            there = elsewhere.get(name)
            if there is None:
                roles[name] = replace(column, left_out=column.left_out or "the other file has no such column")
            elif column.role == "other" and column.by != "word":  # the other file may show better what it is
                roles[name] = replace(column, role=their_roles[there].role)
    kept = [name for name, column in roles.items() if column.left_out is None]
    if not kept:
        raise _of_no_use(facts, theirs)
    own = attribute_names(kept, [roles[column].role for column in kept], taken=said[0])
    names = {column: attribute_of.get(column, name) for column, name in zip(kept, own, strict=True)}
    return _Chosen(roles, names, {c: elsewhere[c] for c in kept if c in elsewhere}, their_roles)


def _of_no_use(facts: Mapping[str, ColumnFacts], theirs: Mapping[str, ColumnFacts] | None) -> SettingError:
    records = min(next(iter(side.values())).records for side in (facts, theirs) if side)
    if records < _FEW:
        said = f"{many(records, 'record')}: too few to tell what the columns are"
        return SettingError(said, hint="name a schema with --schema; unveil schema list has the built-in ones")
    return SettingError("no column is of use", hint="columns must hold marks of people: names, dates, addresses")


def _same_elsewhere(
    roles: Mapping[str, ColumnRole], theirs: Mapping[str, ColumnRole], said: Mapping[str, str]
) -> dict[str, str]:
    """For each column the one of the other file with the same in it: as said, by name and role, by role, by name."""
    found = {name: there for name, there in said.items() if name in roles}

    def take(name: str, there: str) -> None:
        if name not in found and there not in found.values():
            found[name] = there

    for name, column in roles.items():
        if name in theirs and theirs[name].role == column.role:
            take(name, name)
    for name, column in roles.items():
        free = [other for other, there in theirs.items() if there.role == column.role and other not in found.values()]
        if len(free) == 1 and column.role != "other":
            take(name, free[0])
    for name in roles:
        if name in theirs:
            take(name, name)
    return found


@dataclass(frozen=True, slots=True, repr=False)
class _Formed:
    """Records in the form of their attributes' types, and warnings that name columns."""

    records: Records
    warnings: tuple[str, ...]


def _formed(columns: Mapping[str, Column], attributes: Mapping[Attribute, str], first: First | None) -> _Formed:
    """The records, each attribute from that column and in its form, under numbers in the place of their ids."""
    count = len(next(iter(columns.values())))
    formed = {each: in_form(columns[column], each, first=first) for each, column in attributes.items()}
    records = Records([str(row) for row in range(count)], {each.name: one.column for each, one in formed.items()})
    warnings = [
        f"column {attributes[each]}: {found.sentence}"
        for each, one in formed.items()
        for found in one.findings
        if found.is_warning
    ]
    return _Formed(records, tuple(warnings))


def _finished(draft: Attribute, measured: Sequence[AttributeFacts]) -> Attribute:
    counts = np.concatenate([facts.tokens for facts in measured])
    # Weights of registers that differ: the more common agreement is, the less is claimed.
    weight = min(facts.weight(draft.meaning) for facts in measured)
    return draft.model_copy(update={"h": fitting_h(counts, m=LayerA().m), "weight": round(weight, 2)})


def _mean_tokens(measured: Sequence[AttributeFacts]) -> float:
    """The q-grams of a typical value."""
    counts = np.concatenate([facts.tokens for facts in measured])
    return float(counts[counts > 0].mean()) if counts.any() else 1.0


def _record_h(attributes: Sequence[Attribute], measured: Sequence[Sequence[AttributeFacts]]) -> int:
    """The h of the record-level filter: every attribute adds its q-grams, each as much as it counts."""
    sides = zip(*([facts.tokens for facts in sides] for sides in measured), strict=True)
    count = [
        np.sum([each.in_record * tokens for each, tokens in zip(attributes, side, strict=True)], axis=0)
        for side in sides
    ]
    return fitting_h(np.concatenate(count), m=LENGTH, wanted=HALF)
