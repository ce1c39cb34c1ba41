"""
The one way to read a settings file: schema, project, policy or configuration.

A TOML text becomes a strict model, or one error that explains every mistake by its key: those of single keys, and those
that only several keys together show. What differs between the files is data, a `SettingsKind`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from unveil.errors import Problem, SettingsFileError
from unveil.settings.mistakes import explain, frozen, mended, parse_toml
from unveil.settings.patterns import PATTERNS
from unveil.settings.shape import LONGEST

Model = TypeVar("Model", bound=BaseModel)


class ProjectError(SettingsFileError):
    """A project file or a party's configuration has mistakes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsKind(Generic[Model]):
    """One kind of settings file: all that reading one needs to know."""

    model: type[Model]
    error: type[SettingsFileError]
    cross_check: Callable[[Model], Iterable[Problem]]  #: mistakes that no single key shows
    instead: Mapping[str, Any] = field(default_factory=dict)  #: for keys that cannot be left out, to check the rest
    judged_last: tuple[str, ...] = ()  #: tables whose keys are checked against each other once none is mistaken itself
    hint: str | None = None
    hint_at: Mapping[str, str] = field(default_factory=dict)  #: a better hint if this key is mistaken

    def refused(self, source: str, problems: Sequence[Problem]) -> SettingsFileError:
        """The error that tells these mistakes."""
        better = (self.hint_at[problem.key] for problem in problems if problem.key in self.hint_at)
        return self.error(source, problems, hint=next(better, self.hint))


def load(path: Path, kind: SettingsKind[Model]) -> Model:
    """The settings in that file."""
    return parse(read_text(path, error=kind.error), kind, source=str(path))


def parse(text: str, kind: SettingsKind[Model], *, source: str) -> Model:
    """The settings in that text."""
    found = checked(parse_table(text, source=source, error=kind.error), kind)
    if isinstance(found, list):
        raise kind.refused(source, found)
    return found


def read_text(path: Path, *, error: type[SettingsFileError] = ProjectError) -> str:
    """The text of a settings file, not yet understood."""
    try:
        if not path.is_file():  # a folder, a pipe or a device; reading it might never end
            reason = "not a plain file" if path.exists() else "no such file"
        elif path.stat().st_size > LONGEST:
            reason = f"longer than {LONGEST // 1024} kB"
        else:
            return path.read_text(encoding="utf-8-sig")
    except OSError as failure:
        reason = failure.strerror or "not readable"
    except ValueError:  # broken UTF-8, or a path that no file can have
        reason = "not UTF-8 text"
    raise error(str(path), [Problem("(file)", reason, "a readable TOML file")])


def parse_table(text: str, *, source: str, error: type[SettingsFileError] = ProjectError) -> dict[str, Any]:
    """The data in a TOML text, lists as tuples, so that strict models take it."""
    data = parse_toml(text)
    if isinstance(data, Problem):
        raise error(source, [data])
    return data


def checked(data: Mapping[str, Any], kind: SettingsKind[Model]) -> Model | list[Problem]:
    """The data as the model of that kind, or every mistake in it: those of single keys, then those of several."""
    try:
        # Strict: text is no number and true is not 1. Whoever wrote "8443" may have meant something else.
        value = kind.model.model_validate(data, strict=True)
    except ValidationError as error:
        problems = explained(error, data, kind.model)
        mistaken = {problem.key for problem in problems}
        unjudged = [table for table in kind.judged_last if any(_is_in(key, table) for key in mistaken)]
        further = _further(error, {**kind.instead, **data}, kind)
        return problems + [
            problem
            for problem in further
            if problem.key not in mistaken and not any(_is_in(problem.key, table) for table in unjudged)
        ]
    return list(kind.cross_check(value)) or value


def explained(error: ValidationError, data: Mapping[str, Any], model: type[BaseModel]) -> list[Problem]:
    """One problem for every mistake; what a name may look like is said in words, not as a pattern."""
    found = explain(error, data, model)
    return [Problem(each.key, each.what, _in_words(each.allowed)) for each in found]


def _in_words(allowed: str) -> str:
    for pattern, words in PATTERNS.items():
        allowed = allowed.replace(f"text, matching {pattern}", words)
    return allowed


def _further(error: ValidationError, data: Mapping[str, Any], kind: SettingsKind[Model]) -> list[Problem]:
    """What else is wrong, as far as it can be told while some keys are mistaken."""
    for _ in range(3):  # what is left without a key that it needs goes in the next round
        try:
            data = {**kind.instead, **frozen(mended(error, data))}
            return list(kind.cross_check(kind.model.model_validate(data, strict=True)))
        except ValidationError as again:
            error = again
        except RecursionError:  # lists nested so deep that they can be read but not copied; they are a mistake already
            return []
    return []


def _is_in(key: str, table: str) -> bool:
    return key == table or key.startswith(f"{table}.")
