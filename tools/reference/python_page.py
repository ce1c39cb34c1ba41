"""The reference of the Python front door: every public name, its parameters, what it returns and what it has."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tools.reference.markdown import GENERATED, page, table
from unveil import api

_INTRODUCTION: Final = (
    "What `import unveil` offers. [Python](python.md) shows it at work; `import unveil` itself imports nothing heavy: "
    "each name is imported when it is first used. A *table* is a path, or anything that offers an Arrow stream "
    "(`__arrow_c_stream__`): a data frame of pandas or polars, a relation of DuckDB, a table of Arrow."
)
#: Long unions by the word that the page has for them.
_WORDS: Final = {"TableSource": "table", "Interval": "tuple[float, float, float]"}
#: Of names that begin with an underscore, what a user calls, or a library for them.
_SPECIAL: Final = frozenset({"__arrow_c_stream__", "__getitem__"})
_LONGEST: Final = 100  # characters of a line with parameters


def public_names(offered: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Everything that the front door offers, functions first, both in alphabetical order."""
    found = dict(offered or {name: getattr(api, name) for name in api.__all__})
    return dict(sorted(found.items(), key=lambda one: (inspect.isclass(one[1]), one[0].casefold())))


def python_page(offered: Mapping[str, Any] | None = None) -> str:
    """The page."""
    lines = ["# Python reference", "", GENERATED, "", _INTRODUCTION]
    for name, one in public_names(offered).items():
        lines += ["", f"## {name}", "", *(_class(name, one) if inspect.isclass(one) else _function(name, one))]
    return page(lines)


def _function(name: str, function: Any) -> list[str]:
    return ["```text", f"unveil.{name}{_signature(function)}", "```", "", *_doc(function)]


def _class(name: str, one: type) -> list[str]:
    lines = _doc(one)
    if dataclasses.is_dataclass(one):
        fields = ", ".join(f"`{field.name}: {_plain(str(field.type))}`" for field in dataclasses.fields(one))
        lines += ["", f"Fields: {fields}."]
    if one is api.Schema:
        lines += ["", "Its settings are those of a [schema file](schema.md)."]
    rows = list(_members(name, one))
    return [*lines, "", *table(("member", "what it is"), rows)] if rows else lines


def _members(name: str, one: type) -> Iterator[tuple[str, str]]:
    """Its own methods and properties; what only shows it is left out."""
    for member, found in vars(one).items():
        if member.startswith("_") and member not in _SPECIAL:
            continue
        if isinstance(found, property) and found.fget is not None:
            yield f"`{member}: {_plain(str(inspect.signature(found.fget).return_annotation))}`", _first(found)
        elif isinstance(found, classmethod):
            yield f"`{name}.{member}{_signature(found.__func__)}`", _first(found.__func__)
        elif inspect.isfunction(found):
            yield f"`{member}{_signature(found)}`", _first(found)


def _signature(function: Any) -> str:
    """Parameters and what is returned, as they stand in the code."""
    found = inspect.signature(function)
    parts: list[str] = []
    for name, each in found.parameters.items():
        if name in {"self", "cls"}:
            continue
        if each.kind is each.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = "" if each.default is each.empty else f" = {each.default!r}"
        parts.append(f"{name}: {_plain(str(each.annotation))}{default}")
    returned = _plain(str(found.return_annotation))
    line = f"({', '.join(parts)}) -> {returned}"
    if len(line) <= _LONGEST:
        return line
    return "\n".join(["(", *(f"    {part}," for part in parts), f") -> {returned}"])


def _plain(text: str) -> str:
    for long, short in _WORDS.items():
        text = text.replace(long, short)
    return text


def _first(one: Any) -> str:
    return " ".join((inspect.getdoc(one) or "").split("\n\n")[0].split())


def _doc(one: Any) -> list[str]:
    paragraphs = (inspect.getdoc(one) or "").split("\n\n")
    lines: list[str] = []
    for paragraph in paragraphs:
        lines += ["", " ".join(paragraph.split())]
    return lines[1:]
