"""
A file of records in numbers that name nobody: what each column seems to say, how it is written, and how it would leave.

It holds formats, shares, counts and lengths, and no value, so that two owners may hold theirs against each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.encoding.normalise import normalise
from unveil.encoding.planning.column_fit import doubts
from unveil.encoding.planning.column_roles import ROW, ColumnRole, column_roles, id_column
from unveil.encoding.planning.column_signs import column_signs
from unveil.encoding.planning.drafts import drafted
from unveil.encoding.planning.facts import ColumnFacts, facts_of, sample_of_values
from unveil.encoding.planning.joined_columns import TogetherRead, joined
from unveil.encoding.planning.looks import format_of, look_of
from unveil.encoding.planning.proposal import attribute_names
from unveil.errors import SettingError
from unveil.forms.column_forms import in_form
from unveil.forms.dates import First
from unveil.records import Column
from unveil.schema import Attribute, Schema


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """
    One column: its attribute and role, how its values are written, and how they are compared (`sent`).

    `missing` is the share of records without a value, `unread` the share whose value cannot be brought into the form of
    its type, `commonest` the share of the values that the commonest one is. `several` is the share of several words and
    `beyond` of letters beyond a to z, both as compared.
    """

    column: str
    attribute: str | None
    role: str
    by: str
    type: str
    format: str
    format_share: float
    sent: str
    sent_share: float
    missing: float
    unread: float
    distinct: int
    shortest: int
    longest: int
    length: float
    commonest: float
    several: float
    beyond: float
    left_out: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileProfile:
    """The columns of a file, its record id, and how many of its records are like another in all that is compared."""

    records: int
    record_id: str
    repeated: int
    columns: tuple[ColumnProfile, ...]
    missing_attributes: tuple[str, ...] = ()
    schema: str | None = None

    def of(self, attribute: str) -> ColumnProfile | None:
        """The column that an attribute is read from."""
        return next((one for one in self.columns if one.attribute == attribute), None)


def profiled(
    columns: Mapping[str, Column],
    *,
    record_id: str | None = None,
    said: Mapping[str, str] | None = None,
    schema: Schema | None = None,
    first: First | None = None,
) -> FileProfile:
    """
    The profile of these columns; with a schema, of its attributes, each from the column that is said or seems to be it.

    `said` gives by attribute the column that a person named for it.
    """
    columns = columns if schema is None else _together(columns, schema)
    facts = {name: facts_of(column) for name, column in columns.items()}
    identifier = _identifier(facts, record_id or (schema.input.id if schema and schema.input.id in facts else None))
    roles = column_roles(facts, identifier, said={column: name for name, column in (said or {}).items()})
    if schema is None:
        attributes = _proposed(columns, facts, roles)
    else:
        attributes = {column: each for each, column in mapping_of(schema, roles, said or {}).items()}
    found = []
    compared = []
    for name, column in columns.items():
        if name == identifier:
            continue
        attribute = attributes.get(name)
        profile, sent = _profile(name, column, roles[name], attribute, first)
        found.append(profile)
        if attribute is not None:
            compared.append(sent)
    there = {each.attribute for each in found}
    lacking = () if schema is None else tuple(name for name in schema.names if name not in there)
    records = len(next(iter(columns.values())))
    return FileProfile(
        records, identifier, _repeated(compared, records), tuple(found), lacking, schema.name if schema else None
    )


def _together(columns: Mapping[str, Column], schema: Schema) -> Mapping[str, Column]:
    """The columns with those as one that the schema reads together, such as street+number."""
    for source in (name for attribute in schema.attributes for name in attribute.sources if name not in columns):
        parts = tuple(part.strip() for part in source.split("+"))
        if len(parts) > 1 and all(part in columns for part in parts):
            columns = joined(columns, [TogetherRead(parts, source)])
    return columns


def mapping_of(schema: Schema, roles: Mapping[str, ColumnRole], said: Mapping[str, str]) -> dict[Attribute, str]:
    """For each attribute its column: the one that is said, the one of its name, or the only one of its role."""
    found: dict[Attribute, str] = {}
    for attribute in schema.attributes:
        named = said.get(attribute.name) or next((name for name in attribute.sources if name in roles), None)
        if named is not None and named in roles:
            found[attribute] = named
    for attribute in schema.attributes:
        free = [name for name, one in roles.items() if one.role == attribute.meaning and name not in found.values()]
        if attribute not in found and len(free) == 1 and attribute.meaning != "other":
            found[attribute] = free[0]
    return found


def _identifier(facts: Mapping[str, ColumnFacts], wanted: str | None) -> str:
    try:
        return id_column(facts, wanted, fallback=ROW)
    except SettingError:
        if wanted is not None:
            raise
        return ROW


def _proposed(
    columns: Mapping[str, Column], facts: Mapping[str, ColumnFacts], roles: Mapping[str, ColumnRole]
) -> dict[str, Attribute]:
    """The attribute that would be proposed for each column that is of use."""
    kept = [name for name, column in roles.items() if column.left_out is None]
    names = attribute_names(kept, [roles[column].role for column in kept])
    return {
        column: drafted(name, column, roles[column].role, facts[column], [columns[column]])
        for name, column in zip(names, kept, strict=True)
    }


def _profile(
    name: str, column: Column, role: ColumnRole, attribute: Attribute | None, first: First | None
) -> tuple[ColumnProfile, Column]:
    look = look_of(column)
    formed = column if attribute is None else in_form(column, attribute, first=first).column
    steps = () if attribute is None else attribute.normalise
    values = [normalise(value, steps) for value in sample_of_values(formed)]
    sent = Counter(map(format_of, values))
    form, times = min(sent.items(), key=lambda one: (-one[1], one[0]), default=("", 0))
    unread = float((formed.missing() & ~column.missing()).mean())
    there = [len(value) for value in values if value]
    commonest = _commonest(column)
    return ColumnProfile(
        column=name,
        attribute=None if attribute is None else attribute.name,
        role=role.role if attribute is None else attribute.meaning,
        by=role.by,
        type="text" if attribute is None else attribute.type,
        format=look.format,
        format_share=look.format_share,
        sent=form,
        sent_share=_share(times, len(values)),
        missing=look.missing,
        unread=round(unread, 4),
        distinct=look.distinct,
        shortest=look.shortest,
        longest=look.longest,
        length=round(float(np.mean(there)), 2) if there else 0.0,
        commonest=round(commonest, 4),
        several=_share(sum(" " in value for value in values), len(values)),
        beyond=_share(sum(not value.isascii() for value in values), len(values)),
        left_out=role.left_out if attribute is None else None,
        warnings=(
            *filter(None, (role.remark,)),
            *(() if attribute is None else _warnings(column, formed, attribute, first)),
        ),
    ), formed


def _warnings(column: Column, formed: Column, attribute: Attribute, first: First | None) -> list[str]:
    """What speaks against the column, and what of it may be lost."""
    found = [one.sentence for one in doubts(attribute, facts_of(formed)) if one.kind == "contents"]
    found += [one.sentence for one in in_form(column, attribute, first=first).findings if one.is_warning]
    return [*found, *column_signs(attribute, formed)]


def _commonest(column: Column) -> float:
    counts = column.counts()[column.lengths() > 0]
    return float(counts.max(initial=0) / max(1, counts.sum()))


def _repeated(columns: Sequence[Column], records: int) -> int:
    """Records that are like another one in every one of these columns."""
    if not columns:
        return 0
    rows = np.stack([column.codes for column in columns], axis=1)
    _, times = np.unique(rows, axis=0, return_counts=True)
    return int(times[times > 1].sum()) if records else 0


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 4)
