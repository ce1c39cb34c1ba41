"""
Which column of an owner's file each attribute is read from.

It stands in the owner's own configuration and nowhere else: the project file is shared, no fingerprint knows columns,
and whoever wrote one into it would decide what leaves another owner's file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from unveil.errors import Problem, SettingError
from unveil.schema import Input, Schema
from unveil.settings.mistakes import near, shown
from unveil.settings.reader import ProjectError

_HINT = "[columns] says attribute = 'column'; an attribute that is not there is read from the column of its name"


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The column with the record ids, and by attribute the columns that are not called by the attribute's name."""

    id: str = Input().id
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def given(cls, words: Iterable[str], *, id_column: str | None = None) -> ColumnMapping:
        """The mapping that options of the form attribute=column say."""
        columns: dict[str, str] = {}
        for word in words:
            attribute, equals, column = (part.strip() for part in word.partition("="))
            if not (attribute and equals and column):
                raise SettingError(
                    f"--column {shown(word)}: not of the form attribute=column", hint="--column city=town for example"
                )
            if attribute in columns:
                raise SettingError(f"--column: attribute {attribute} is given twice", hint="one column for each")
            columns[attribute] = column
        return cls(id_column or Input().id, columns)

    def of(self, schema: Schema, *, source: str) -> Schema:
        """The project's schema for this owner's file; ProjectError, which names `source`, where they do not fit."""
        own = schema.read_from(self.columns, id_column=self.id)
        problems = [*self._unknown(schema), *_read_twice(own)]
        if problems:
            raise ProjectError(source, problems, hint=_HINT)
        return own

    def _unknown(self, schema: Schema) -> Iterator[Problem]:
        for name in self.columns:
            if name not in schema.names:
                what = f"the project has no such attribute{near(name, schema.names)}"
                yield Problem(f"columns.{name}", what, ", ".join(schema.names))


def _read_twice(schema: Schema) -> Iterator[Problem]:
    for at in schema.read_twice():
        attribute = schema.attributes[at]
        yield Problem(f"columns.{attribute.name}", f"{shown(attribute.source)} is read twice", "a column of its own")
