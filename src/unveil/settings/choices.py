"""
Settings that take one of several names: a table with a row for each, and the functions behind the rows.

A row says everything about a choice but how it is done: what it means and what follows from it. Whoever does it binds a
function to the row by its name. So adding a choice is one row and one function; `tests/schema/test_choices.py` fails
where one of the two is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A row: what choosing this name means, as a sentence for the documentation."""

    sentence: str

    def __post_init__(self) -> None:
        if not self.sentence.strip() or self.sentence.endswith("."):
            raise ValueError("a choice needs a sentence that explains it, without a full stop")


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """Marks a setting that takes the name of a row. The table is looked up each time: a row that is added counts."""

    rows: Mapping[str, object]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "enum": list(self.rows)}

    def _known(self, value: object) -> object:
        if not isinstance(value, str) or value not in self.rows:
            # The error of a Literal, so that both kinds of choice are explained in the same words.
            raise PydanticKnownError("literal_error", {"expected": ", ".join(self.rows)})
        return value


def rows_of(metadata: Sequence[Any]) -> Mapping[str, object] | None:
    """The table whose names a setting with this metadata takes; None if it takes something else."""
    return next((part.rows for part in metadata if isinstance(part, OneOf)), None)


def binding(
    rows: Mapping[str, object], functions: dict[str, Function]
) -> Callable[[str], Callable[[Function], Function]]:
    """A decorator that puts a function behind the row of a name, into `functions`."""

    def behind(name: str) -> Callable[[Function], Function]:
        if name not in rows:
            raise KeyError(f"no row {name}: {', '.join(rows)}")
        if name in functions:
            raise KeyError(f"row {name} has a function already")

        def bind(function: Function) -> Function:
            functions[name] = function
            return function

        return bind

    return behind
