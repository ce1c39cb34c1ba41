"""Which column of a table each attribute is read from: the one that is said, or that schema and table both have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from unveil.errors import SettingError
from unveil.files.reading import ROW, Reading
from unveil.schema import Schema
from unveil.settings.mistakes import near

#: Between the names of columns whose values are read behind each other, as in street+number.
TOGETHER: Final = "+"


def joined_columns(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns of a table that are meant by a name: its own, or several that are read together."""
    if name in names or TOGETHER not in name:
        return (name,)
    return tuple(part.strip() for part in name.split(TOGETHER))


def possible_columns(schema: Schema, reading: Reading) -> list[str]:
    """Every column that may be read; they help to tell how a table is written."""
    ids = (reading.id,) if reading.id else (schema.input.id, *schema.input.other_ids)
    found = [*ids, *(name for each in schema.attributes for name in each.sources if each.name not in reading.columns)]
    return [part for name in (*found, *reading.columns.values()) for part in {name, *joined_columns(name, ())}]


def schema_for(schema: Schema, reading: Reading, names: Sequence[str]) -> Schema:
    """The schema for a table with columns of these names; SettingError if the columns that are said do not fit it."""
    for name in reading.columns:
        if name not in schema.names:
            hint = f"--column says attribute=column; the attributes are {', '.join(schema.names)}"
            raise SettingError(f"the schema has no attribute {name}{near(name, schema.names)}", hint=hint)
    columns = dict(reading.columns)
    for attribute in schema.attributes:
        if attribute.name not in columns:
            columns[attribute.name] = _one(attribute.name, attribute.sources, names, "--column {}={}")
    ids = (schema.input.id, *schema.input.other_ids)
    own = schema.read_from(columns, id_column=reading.id or _one("the record id", ids, names, "--id {1}"))
    for sentence in _read_twice(own):
        raise SettingError(sentence, hint="say another one with --column attribute=column")
    return own


def _one(what: str, possible: Sequence[str], names: Sequence[str], option: str) -> str:
    """The only one of the possible columns that is there; the first, which is then missed, if none is."""
    there = [name for name in dict.fromkeys(possible) if set(joined_columns(name, names)) <= set(names)]
    if len(there) > 1:
        said = f"{what} may be read from column {' or '.join(there)}, which the file has both"
        raise SettingError(said, hint=f"say which: {option.format(what, there[0])}")
    return there[0] if there else ROW if ROW in possible else possible[0]


def _read_twice(schema: Schema) -> Iterator[str]:
    for at in schema.read_twice():
        name = schema.attributes[at].name
        yield f"{name} is read from the column of another attribute or of the record id"
