"""
A settings file changed where it says something else now, and left as it was everywhere: comments and order stay.

Only lines of the form `key = value` below `[table]` are changed. Whatever comes out is read again and compared with
what was meant; a file that is written in another way is written anew as a whole, without its comments.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

import tomli_w

KeyPath = tuple[str, ...]
_HEADER: Final = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_ANY_HEADER: Final = re.compile(r"\s*\[")


def patched(text: str, changes: Mapping[KeyPath, Any]) -> str:
    """The text with these values, by table and key; None takes a key out. The text must be TOML."""
    meant = tomllib.loads(text)
    for path, value in changes.items():
        _set(meant, path, value)
    lines = text.splitlines()
    for path, value in changes.items():
        if _get(tomllib.loads(text), path) != value:
            lines = _changed(lines, path, value)
    found = "\n".join(lines).strip("\n") + "\n"
    try:
        if _without_empty(tomllib.loads(found)) == _without_empty(meant):
            return found
    except tomllib.TOMLDecodeError:
        pass
    return tomli_w.dumps(_without_empty(meant))


def _changed(lines: list[str], path: KeyPath, value: Any) -> list[str]:
    tables = isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)
    if tables or any(_is_tables(line, path) for line in lines):
        return _with_tables(lines, path, value or [])
    start, end = _section(lines, path[:-1])
    at = _line(lines[start:end], path[-1])
    if at is not None:
        first, last = start + at[0], start + at[1]
        new = [] if value is None else [_assigned(path[-1], value) + _comment(lines[first : last + 1])]
        return lines[:first] + new + lines[last + 1 :]
    if value is None:
        return lines
    if start < 0:
        return [*lines, "", f"[{'.'.join(path[:-1])}]", _assigned(path[-1], value)]
    while end > start and not lines[end - 1].strip():
        end -= 1
    return [*lines[:end], _assigned(path[-1], value), *lines[end:]]


def _with_tables(lines: list[str], path: KeyPath, tables: list[Mapping[str, Any]]) -> list[str]:
    """With an array of tables at the end, in place of the one that there was."""
    kept, inside = [], False
    for line in lines:
        if _ANY_HEADER.match(line):
            inside = _is_tables(line, path)
        if not inside:
            kept.append(line)
    for table in tables:
        kept += ["", _tables(path), *(_assigned(key, value) for key, value in table.items())]
    return kept


def _is_tables(line: str, path: KeyPath) -> bool:
    return line.split("#", maxsplit=1)[0].strip() == _tables(path)


def _tables(path: KeyPath) -> str:
    """The header of each table of an array."""
    return f"[[{'.'.join(path)}]]"


def _section(lines: list[str], table: KeyPath) -> tuple[int, int]:
    """The first line of a table behind its header and the line after its last; (-1, 0) if there is no such table."""
    start = 0 if not table else -1
    for at, line in enumerate(lines):
        if not _ANY_HEADER.match(line):
            continue
        if start >= 0:
            return start, at
        header = _HEADER.match(line)
        if header and tuple(part.strip() for part in header[1].split(".")) == table:
            start = at + 1
    return (start, len(lines)) if start >= 0 else (-1, 0)


def _line(lines: list[str], key: str) -> tuple[int, int] | None:
    """First and last line of what is assigned to a key."""
    begin = re.compile(rf"\s*{re.escape(key)}\s*=")
    for first, line in enumerate(lines):
        if begin.match(line):
            for last in range(first, len(lines)):
                try:
                    tomllib.loads("\n".join(lines[first : last + 1]))
                except tomllib.TOMLDecodeError:
                    continue
                return first, last
    return None


def _comment(lines: list[str]) -> str:
    """The comment behind a value that stands on one line."""
    if len(lines) > 1:
        return ""
    line = lines[0]
    for at in (place.start() for place in re.finditer("#", line)):
        try:
            if tomllib.loads(line[:at]) == tomllib.loads(line):
                return "  " + line[at:]
        except tomllib.TOMLDecodeError:
            continue
    return ""


def _assigned(key: str, value: Any) -> str:
    if isinstance(value, list):
        inside = ", ".join(tomli_w.dumps({"x": each}).strip().removeprefix("x = ") for each in value)
        return f"{key} = [{inside}]"
    return tomli_w.dumps({key: value}).strip()


def _get(document: Mapping[str, Any], path: KeyPath) -> Any:
    found: Any = document
    for part in path:
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _set(document: dict[str, Any], path: KeyPath, value: Any) -> None:
    for part in path[:-1]:
        document = document.setdefault(part, {})
    if value is None:
        document.pop(path[-1], None)
    else:
        document[path[-1]] = value


def _without_empty(document: dict[str, Any]) -> dict[str, Any]:
    """Without tables that say nothing."""
    found = {key: _without_empty(value) if isinstance(value, dict) else value for key, value in document.items()}
    return {key: value for key, value in found.items() if value not in ({}, [])}
