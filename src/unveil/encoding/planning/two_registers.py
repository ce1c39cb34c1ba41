"""What two registers that one place holds do not have in common, attribute by attribute, before anything is linked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from unveil.encoding.normalise import normalise
from unveil.encoding.planning.facts import sample_of_rows, sample_of_values, some_values
from unveil.encoding.planning.file_profile import ColumnProfile
from unveil.encoding.planning.looks import format_of
from unveil.encoding.planning.profile_differences import losses
from unveil.records import Column, Records
from unveil.schema import Attribute, Schema

#: Roles whose values everybody has from one stock: registers of different people have many of them in common, too.
_OF_ONE_STOCK: Final = frozenset({"given_name", "family_name", "sex", "town", "postcode", "region", "birth_year"})
_ENOUGH: Final = 100  # values
_LOOKED_UP: Final = 20_000  # records of the other register
_HARDLY_ANY: Final = 0.02


def register_differences(
    schema: Schema, records: tuple[Records, Records], names: tuple[str, str], columns: Mapping[str, str] | None = None
) -> list[str]:
    """Sentences that name a file and its column; `columns` are the first file's where the schema has others."""
    places = (f"in {names[0]}", f"in {names[1]}")
    found = []
    for attribute in schema.attributes:
        ours, theirs = (side.columns[attribute.name] for side in records)
        column = (columns or {}).get(attribute.name, attribute.source)
        profiles = _profile(attribute, ours), _profile(attribute, theirs)
        said = [*losses(*profiles, places), *_in_common(attribute, ours, theirs, names[1])]
        found += [f"{names[0]}, column {column}: {sentence}" for sentence in said]
    return found


def _profile(attribute: Attribute, column: Column) -> ColumnProfile:
    """The column, in its form already, in numbers; how it was written and what could not be read is told elsewhere."""
    raw = sample_of_values(column)
    values = [normalise(value, attribute.normalise) for value in raw]
    sent, written = Counter(map(format_of, values)), Counter(map(format_of, raw))
    form, times = min(sent.items(), key=lambda one: (-one[1], one[0]), default=("", 0))
    there = [len(value) for value in values if value]
    total = max(1, len(values))
    return ColumnProfile(
        column=attribute.source, attribute=attribute.name, role=attribute.meaning, by="", type=attribute.type,
        format=min(written, key=lambda one: (-written[one], one), default=""), format_share=0.0,
        sent=form, sent_share=times / total, missing=float(column.missing().mean()), unread=0.0,
        distinct=0, shortest=0, longest=0, length=sum(there) / max(1, len(there)), commonest=0.0,
        several=sum(" " in value for value in values) / total,
        beyond=sum(not value.isascii() for value in values) / total,
    )  # fmt: skip


def _in_common(attribute: Attribute, ours: Column, theirs: Column, name: str) -> Iterator[str]:
    if attribute.meaning not in _OF_ONE_STOCK:
        return
    sought = [normalise(value, attribute.normalise) for value in sample_of_values(ours)]
    some = some_values(theirs, sample_of_rows(len(theirs), _LOOKED_UP))
    held = {normalise(value, attribute.normalise) for value in some.distinct if value}
    if min(len(sought), int(some.counts().sum())) < _ENOUGH or not held:
        return
    share = sum(value in held for value in sought) / len(sought)
    if share < _HARDLY_ANY:
        yield f"hardly any of its values stands in {name}, too ({share:.1%}): is it written in another way there?"
