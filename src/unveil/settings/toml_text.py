"""TOML as text: the inverse of `tomllib.loads`."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+\Z")
_LARGEST_DECIMAL: Final = 1 << 63


def document(data: Mapping[str, Any]) -> str:
    """A TOML document that means this data; tables and lists of tables stand under headings of their own."""
    return "\n".join(_table(data, ())).strip("\n") + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """The lines of a table: first what belongs under its own heading, then the tables inside it."""
    inner = {key: value for key, value in data.items() if isinstance(value, Mapping) or _is_tables(value)}
    yield from (f"{_key(key)} = {_value(value)}" for key, value in data.items() if key not in inner)
    for key, value in inner.items():
        place = (*path, key)
        name = ".".join(_key(part) for part in place)
        for table in [value] if isinstance(value, Mapping) else value:
            yield ""
            yield f"[{name}]" if isinstance(value, Mapping) else f"[[{name}]]"
            yield from _table(table, place)


def _is_tables(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _key(key: str) -> str:
    return key if _BARE.match(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(inner) for inner in value) + "]"
    return _text(value) if isinstance(value, str) else _plain(value)


def _plain(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            # Python refuses to write very long decimals, and a file may hold such numbers in hexadecimal.
            return str(value) if value < _LARGEST_DECIMAL else hex(value)
        case float():
            return repr(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case _:
            raise TypeError(f"TOML cannot hold a {type(value).__name__}")


def _text(text: str) -> str:
    # JSON escapes as TOML does, but lets the delete character stand.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
