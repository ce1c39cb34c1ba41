"""JSON that somebody else wrote, read within limits: so long, so deep, no key twice, no number that is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NoReturn

from unveil.errors import InputError
from unveil.files.source import opened

#: Bytes of a file. A million filters of 4,096 bits take 688 MB.
LONGEST: Final = 1 << 30
#: Lists and objects within each other. No format that is read here has more than six.
DEEPEST: Final = 32

_EXPORT: Final = "export it again; docs/interop.md shows what such a file looks like"


class NotJson(ValueError):
    """A text is no JSON that may be read; says why, without quoting it."""


def parsed_json(text: str) -> Any:
    """What the text holds."""
    try:
        found = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_pairs)
    except NotJson:
        raise
    except json.JSONDecodeError as error:
        raise NotJson(f"is not JSON (line {error.lineno})") from None
    except RecursionError:
        raise NotJson(f"is nested deeper than {DEEPEST} levels") from None
    except (ValueError, MemoryError):  # a number of thousands of digits
        raise NotJson("holds a number that is too long, or is too large to be read") from None
    if _is_deeper(found, DEEPEST):
        raise NotJson(f"is nested deeper than {DEEPEST} levels")
    return found


def read_json(path: Path) -> Any:
    """What a file of JSON holds; anything else is an InputError."""
    with opened(path) as handle:
        data = handle.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise InputError(path, f"is larger than {LONGEST >> 20} MB", hint="split it")
    try:
        return parsed_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(path, "is not UTF-8 text", hint=_EXPORT) from None
    except NotJson as problem:
        raise InputError(path, str(problem), hint=_EXPORT) from None


def _refuse_constant(_: str) -> NoReturn:
    raise NotJson("holds NaN or Infinity, which JSON does not know")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotJson("has an object with the same key twice")
    return found


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects are nested deeper than that; looks level by level, so that depth costs no stack."""
    level = [value]
    for _ in range(levels):
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict | list):
                inner = one.values() if isinstance(one, dict) else one
                below.extend(each for each in inner if isinstance(each, dict | list))
        if not below:
            return False
        level = below
    return True
