"""Settings in TOML files: read with care, every mistake explained by its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from unveil.errors import Problem, UnveilError
from unveil.settings.mistakes import explain, frozen, mended, parse_toml
from unveil.settings.patterns import PATTERNS

LONGEST: Final = 1 << 20  # bytes of a settings file

_Model = TypeVar("_Model", bound=BaseModel)


class ProjectError(UnveilError):
    """A project file or a party's configuration has mistakes; `problems` lists every one of them."""

    def __init__(self, source: str, problems: Sequence[Problem], *, hint: str | None = None) -> None:
        count = "one mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        lines = "".join(f"\n  {problem}" for problem in problems)
        super().__init__(f"{source}: {count}{lines}", hint=hint)
        self.source, self.problems = source, tuple(problems)


def read_text(path: Path) -> str:
    """The text of a settings file, not yet understood."""
    try:
        if not path.is_file():  # a folder, a pipe or a device; reading it might never end
            reason = "not a plain file" if path.exists() else "no such file"
        elif path.stat().st_size > LONGEST:
            reason = f"longer than {LONGEST // 1024} kB"
        else:
            return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or "not readable"
    except ValueError:  # broken UTF-8, or a path that no file can have
        reason = "not UTF-8 text"
    raise ProjectError(str(path), [Problem("(file)", reason, "a readable TOML file")])


def parse_table(text: str, *, source: str) -> dict[str, Any]:
    """The data in a TOML text, lists as tuples, so that strict models take it."""
    data = parse_toml(text)
    if isinstance(data, Problem):
        raise ProjectError(source, [data])
    return data


def checked(
    model: type[_Model],
    data: Mapping[str, Any],
    cross_check: Callable[[_Model], list[Problem]],
    *,
    instead: Mapping[str, Any] | None = None,
) -> _Model | list[Problem]:
    """
    The data as that model, or every mistake in it: those of single keys and those that only several show.

    `instead` holds values for keys that cannot be left out, so that the rest is checked where they are mistaken.
    """
    try:
        # Strict: text is no number and true is not 1. Whoever wrote "8443" may have meant something else.
        value = model.model_validate(data, strict=True)
    except ValidationError as error:
        problems = explained(error, data, model)
        told = {problem.key for problem in problems}
        further = _further(model, error, {**(instead or {}), **data}, cross_check, instead or {})
        return [*problems, *(problem for problem in further if problem.key not in told)]
    return cross_check(value) or value


def explained(error: ValidationError, data: Mapping[str, Any], model: type[BaseModel]) -> list[Problem]:
    """One problem for every mistake; what a name may look like is said in words, not as a pattern."""
    found = explain(error, data, model)
    return [Problem(each.key, each.what, _in_words(each.allowed)) for each in found]


def _in_words(allowed: str) -> str:
    for pattern, words in PATTERNS.items():
        allowed = allowed.replace(f"text, matching {pattern}", words)
    return allowed


def _further(
    model: type[_Model],
    error: ValidationError,
    data: Mapping[str, Any],
    cross_check: Callable[[_Model], list[Problem]],
    instead: Mapping[str, Any],
) -> list[Problem]:
    """What else is wrong, as far as it can be told while some keys are mistaken."""
    for _ in range(3):  # what is left without a key that it needs goes in the next round
        data = {**instead, **frozen(mended(error, data))}
        try:
            return cross_check(model.model_validate(data, strict=True))
        except ValidationError as again:
            error = again
    return []
