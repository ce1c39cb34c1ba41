"""Mistakes in a settings file, explained by key: what stands there and what would be allowed."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from unveil.errors import Problem
from unveil.settings.choices import rows_of
from unveil.settings.shape import too_much

_LONGEST_SHOWN: Final = 40


def parse_toml(text: str) -> dict[str, Any] | Problem:
    """The tables in a TOML text, with tuples in the place of lists, or what is wrong with it."""
    excess = too_much(text)
    if excess is not None:
        return Problem("(file)", excess, "a TOML file of settings")
    try:
        return frozen(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        return Problem("(file)", f"not valid TOML: {error}", "a TOML file")
    except (ValueError, RecursionError):
        what = "not valid TOML: a number is too long, a date does not exist, or lists are nested too deep"
        return Problem("(file)", what, "a TOML file")


def frozen(value: Any) -> Any:
    """The same with tuples in the place of lists."""
    if isinstance(value, Mapping):
        return {key: frozen(inner) for key, inner in value.items()}
    return tuple(frozen(inner) for inner in value) if isinstance(value, list | tuple) else value


def explain(error: ValidationError, data: Mapping[str, Any], root: type[BaseModel]) -> list[Problem]:
    """One problem for every mistake that pydantic found in the data of a settings file."""
    details = error.errors(include_url=False)
    return [_problem(detail, data, root) for detail in details if not _follows(detail, details)]


def mended(error: ValidationError, data: Mapping[str, Any]) -> dict[str, Any]:
    """The data without the mistaken keys, so that defaults take their place and the rest can be checked further."""
    rest: dict[str, Any] = _thawed(data)
    details = error.errors(include_url=False)
    for detail in details:
        path = [] if _follows(detail, details) else list(detail["loc"])
        if detail["type"] == "missing":
            # What lacks a needed key goes as a whole; in a list, the list does, or the places after it would shift.
            path = path[:-2] if len(path) > 1 and isinstance(path[-2], int) else path[:-1]
        _drop(rest, path)
    return rest


def near(word: object, known: Iterable[str]) -> str:
    """A bracketed "did you mean" if some known word is close to this one, else nothing."""
    close = difflib.get_close_matches(str(word)[:_LONGEST_SHOWN], list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def shown(value: object) -> str:
    """The value as it would be written in the file; settings hold no personal data."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, str | bool):
        text = json.dumps(value, ensure_ascii=False)
    else:
        text = str(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "a very large number"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def settings_in(annotation: Any) -> type[BaseModel] | None:
    """The settings that a field of this type holds, perhaps in a list; None if it holds plain values."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := settings_in(inner))), None)


def allowed_values(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    """What a field takes, in words, from its type and its bounds."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return allowed_values(inner[0], inner[1:])
    if origin in {Union, UnionType}:
        return allowed_values(next(part for part in inner if part is not type(None)), metadata)
    choices = inner if origin is Literal else rows_of(metadata)
    if choices:
        return ", ".join(shown(choice) for choice in choices)
    if origin is tuple:
        few = "a list, not empty, of" if _bound(metadata, "min_length") else "a list of"
        return f"{few}: {allowed_values(inner[0])}"
    if settings_in(annotation):
        return "a table"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
    return ", ".join([words.get(annotation, "another value"), *_bounds(metadata)])


def _problem(detail: ErrorDetails, data: Mapping[str, Any], root: type[BaseModel]) -> Problem:
    location = detail["loc"]
    key = ".".join(str(part) for part in location) or "(file)"
    names = [str(part) for part in location if not isinstance(part, int)]
    settings = _settings_at(names[:-1], root)
    known = settings.model_fields if settings else {}
    place = _attribute_name(location, data)
    if detail["type"] == "extra_forbidden":
        return Problem(key, f"unknown key{near(names[-1], known)}{place}", ", ".join(known) or "no key here")
    field = known.get(names[-1]) if names else None
    allowed = allowed_values(field.annotation, field.metadata) if field else _allowed_entry(names, root)
    if detail["type"] == "missing":
        meaning = f" ({field.description})" if field and field.description else ""
        return Problem(key, f"missing{place}", f"{allowed}{meaning}")
    is_choice = field is not None and detail["type"] == "literal_error"
    guess = near(detail["input"], allowed.replace('"', "").split(", ")) if is_choice else ""
    return Problem(key, f"{shown(detail['input'])} is not allowed{guess}{place}", allowed)


def _follows(detail: ErrorDetails, details: Sequence[ErrorDetails]) -> bool:
    """Whether a list seems too short only because its elements are mistaken, which is told already."""
    place = detail["loc"]
    return detail["type"] == "too_short" and any(
        other["loc"][: len(place)] == place and len(other["loc"]) > len(place) for other in details
    )


def _attribute_name(location: Sequence[int | str], data: Mapping[str, Any]) -> str:
    """In which attribute the key lies: people know an attribute by its name, not by its place."""
    match location:
        case ["attributes", int(index), str(key), *_] if key != "name":
            name = data["attributes"][index].get("name")
            return f" in {shown(name)}" if isinstance(name, str) else ""
        case _:
            return ""


def _settings_at(names: Sequence[str], root: type[BaseModel]) -> type[BaseModel] | None:
    """The settings that a key lies in."""
    current: type[BaseModel] | None = root
    for name in names:
        field = current.model_fields.get(name) if current else None
        current = settings_in(field.annotation) if field else None
    return current


def _allowed_entry(names: Sequence[str], root: type[BaseModel]) -> str:
    """What an entry takes in a table where whoever writes it chooses the names, such as consent.layers."""
    settings = _settings_at(names[:-2], root)
    field = settings.model_fields.get(names[-2]) if settings and names[1:] else None
    if field and get_origin(field.annotation) is dict:
        return allowed_values(get_args(field.annotation)[1])
    return "a value of another kind"


def _bounds(metadata: Sequence[Any]) -> list[str]:
    said = {
        "ge": "at least {}",
        "gt": "above {}",
        "le": "at most {}",
        "lt": "below {}",
        "multiple_of": "a multiple of {}",
        "pattern": "matching {}",
    }
    bounds = [text.format(found) for name, text in said.items() if (found := _bound(metadata, name)) is not None]
    return bounds + ["not empty"] * (_bound(metadata, "min_length") is not None)


def _bound(metadata: Sequence[Any], name: str) -> Any:
    parts = [inner for part in metadata for inner in getattr(part, "metadata", (part,))]
    return next((found for part in parts if (found := getattr(part, name, None)) is not None), None)


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thawed(inner) for key, inner in value.items()}
    return [_thawed(inner) for inner in value] if isinstance(value, list | tuple) else value


def _drop(data: dict[str, Any], path: Sequence[int | str]) -> None:
    """Remove the innermost key on the path; a place in a list stays, for the key above it goes instead."""
    target: tuple[dict[str, Any], str] | None = None
    current: Any = data
    for part in path:
        if isinstance(current, dict) and isinstance(part, str):
            target = (current, part)
            current = current.get(part)
        elif isinstance(current, list) and isinstance(part, int) and part < len(current):
            current = current[part]
        else:
            break
    if target is not None:
        target[0].pop(target[1], None)
