"""
An owner's rules as a person edits them: what the policy file says, what it would say, and the file written anew.

The file stays the one truth. Comments, consent and whatever else is not edited here stay as they stand, and a file that
was changed meanwhile by somebody else is not overwritten.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from unveil.errors import SettingError, UnveilError
from unveil.files.atomic import replacing
from unveil.projects.owner_config import OwnerConfig
from unveil.roles.owner import policy_file
from unveil.roles.owner.policy import Policy
from unveil.roles.owner.policy_file import PolicyFile, StandingRule
from unveil.runtime.owner.folder import OwnerFolder, home, policy_of
from unveil.settings.patching import KeyPath, patched
from unveil.settings.reader import read_text

FILE_NAME: Final = "policy.toml"
RuleKind = Literal["choice", "standing", "names", "count", "share", "cap"]

STANDING: Final[KeyPath] = ("standing",)
#: What can be edited: the key in the file, and what kind of value it has.
EDITABLE: Final[Mapping[KeyPath, RuleKind]] = {
    ("approval",): "choice",
    STANDING: "standing",
    ("attributes", "never_shown"): "names",
    ("attributes", "never_encoded"): "names",
    ("review", "smallest_k"): "count",
    ("answers", "attribute_unit"): "share",
    ("answers", "review"): "share",
    ("caps", "record", "pairs"): "cap",
    ("caps", "record", "reviews"): "cap",
    ("caps", "attribute", "records"): "cap",
    ("caps", "project", "pairs"): "cap",
    ("caps", "project", "values"): "cap",
    ("caps", "day", "pairs"): "cap",
    ("caps", "day", "values"): "cap",
}


class RulesMoved(UnveilError):
    """The policy file is not what it was when somebody began to edit it."""

    def __init__(self) -> None:
        super().__init__("the policy file was changed meanwhile", hint="look at it as it is now, and change that")


@dataclass(frozen=True, slots=True)
class RulesText:
    """The policy file: its text, what it says by key, and a digest by which a later change is noticed."""

    text: str
    values: Mapping[KeyPath, Any]
    consent: bool  #: whether it speaks of consent, which is not edited here
    seen: str


@dataclass(frozen=True, slots=True)
class RulesDraft:
    """A policy file as it would be."""

    text: str
    values: Mapping[KeyPath, Any]
    policy: Policy
    changed: bool


class Rules:
    """The rules of one owner's folder. `config` is its configuration as it is now."""

    def __init__(self, folder: OwnerFolder, config: Callable[[], OwnerConfig]) -> None:
        self._folder, self._config = folder, config
        self._names = folder.member.project.linkage.names

    def now(self) -> RulesText:
        """What the file says now; an owner without one has rules that limit nothing."""
        text = self._read()
        file = self._parsed(text)
        return RulesText(text, _values(file), file.consent is not None, _digest(text))

    def draft(self, values: Mapping[KeyPath, Any]) -> RulesDraft:
        """The file with these values; PolicyFileError, with each mistake by its key, if that would be no policy."""
        text = self._read()
        before, document = _values(self._parsed(text)), tomllib.loads(text)
        changes = {}
        for path in EDITABLE:
            value = values.get(path, before[path])
            if value != before[path] or (value is not None and value != [] and _holds(document, path)):
                changes[path] = value
        new = patched(text, changes)
        file = self._parsed(new)
        policy = policy_of(file, self._config(), self._folder.records)
        return RulesDraft(new, _values(file), policy, _values(file) != before)

    def save(self, draft: RulesDraft, seen: str) -> None:
        """Write the file; RulesMoved if it is not the one that was `seen`. Whoever runs takes it up."""
        if _digest(self._read()) != seen:
            raise RulesMoved
        path = self._config().policy
        if path is not None:
            _write(path, draft.text)
            return
        path = home(self._config()) / FILE_NAME
        with replacing(path, overwrite=False, hint="name it in unveil.toml, or move it away") as temporary:
            temporary.write_text(draft.text, encoding="utf-8")
        source = self._config().source
        _write(source, patched(read_text(source), {("policy",): FILE_NAME}))

    def _read(self) -> str:
        path = self._config().policy
        return "version = 1\n" if path is None else read_text(path)

    def _parsed(self, text: str) -> PolicyFile:
        path = self._config().policy
        return policy_file.parse(text, names=self._names, source=FILE_NAME if path is None else path.name)


def _values(file: PolicyFile) -> dict[KeyPath, Any]:
    found = {}
    for path in EDITABLE:
        value: Any = file
        for part in path:
            value = getattr(value, part)
        found[path] = [_plain(each) for each in value] if isinstance(value, tuple) else value
    return found


def _plain(value: Any) -> Any:
    """A value as TOML has it, without what a table leaves out."""
    if not isinstance(value, StandingRule):
        return value
    said = {"answer": value.answer, "only": value.only, "any": value.any, "smallest_k": value.smallest_k}
    plain = {key: list(each) if isinstance(each, tuple) else each for key, each in said.items() if each is not None}
    return {key: each for key, each in plain.items() if (key, each) != ("smallest_k", 1)}


def _holds(document: Mapping[str, Any], path: KeyPath) -> bool:
    found: Any = document
    for part in path:
        if not isinstance(found, Mapping) or part not in found:
            return False
        found = found[part]
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _write(path: Path, text: str) -> None:
    if not path.is_file():
        raise SettingError(f"{path}: is no longer there")
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
