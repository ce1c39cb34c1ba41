"""
The project file: one TOML file, the linkage schema inside it, that all parties share.

`load` wants a project that can begin; `load_draft` also takes one that some parties have yet to join. `join` adds a
party. Every mistake is explained by its key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import tomli_w

from unveil.errors import Problem
from unveil.files.atomic import replacing
from unveil.joining.terms import RESEARCH_CENTRE, LinkSettings, public_key_of
from unveil.projects.project import FEWEST_OWNERS, Party, Project, is_address
from unveil.protocol.codec import VERSION
from unveil.protocol.roles import UNITS, Role
from unveil.schema import Input, Schema, parse
from unveil.schema.definition import SCHEMA_FILE
from unveil.settings.mistakes import near, shown
from unveil.settings.reader import ProjectError, SettingsKind, checked, parse_table, read_text

_HINT: Final = "unveil project new and unveil project join write this file"
_KEPT: Final = "choose another name; a project file is never replaced, for parties may have joined it"
_KEYS: Final = tuple(field.alias or name for name, field in Project.model_fields.items())
_MODE: Final = 0o644  # a project file holds no secret
_OWN_COLUMNS: Final = (
    "no such key: take it out, which changes no fingerprint; every owner names its own columns, "
    "under [columns] in its unveil.toml or with unveil owner init --column and --id"
)
_ANY_SCHEMA: Final = parse('name = "any"\n[[attributes]]\nname = "any"\n')


def load(path: Path, *, demonstration: bool = False) -> Project:
    """The project in that file, which everybody needed has joined."""
    return parse_project(read_text(path), source=str(path), demonstration=demonstration)


def load_draft(path: Path, *, demonstration: bool = False) -> Project:
    """The project in that file, although parties may be missing."""
    return parse_project(read_text(path), source=str(path), demonstration=demonstration, draft=True)


def parse_project(text: str, *, source: str = "project", demonstration: bool = False, draft: bool = False) -> Project:
    """The project in that text. Units that share a public key are refused unless this is a demonstration."""
    data = parse_table(text, source=source)
    unknown = [Problem(key, f"unknown key{near(key, _KEYS)}", ", ".join(_KEYS)) for key in data if key not in _KEYS]
    schema = _schema(data.get("schema"))
    known = {key: value for key, value in data.items() if key in _KEYS}
    # A mistaken schema gives way to a sound one, so that the rest is checked all the same.
    known["schema"] = schema if isinstance(schema, Schema) else _ANY_SCHEMA
    kind = SettingsKind(
        model=Project,
        error=ProjectError,
        cross_check=lambda value: _cross_check(value, demonstration=demonstration),
        instead={"name": "unnamed", "schema": _ANY_SCHEMA},
        hint=_HINT,
    )
    project = checked(known, kind)
    problems = [
        *unknown,
        *(project if isinstance(project, list) else []),
        *(schema if isinstance(schema, list) else []),
    ]
    if not problems and isinstance(project, Project):
        problems = [] if draft else _incomplete(project)
        if not problems:
            return project
    raise kind.refused(source, problems)


def project_text(project: Project) -> str:
    """The project as TOML, every default written out: a later version with other defaults must read the same."""
    data = project.model_dump(mode="json", exclude={"linkage": True}, exclude_none=True)
    parties = data.pop("parties")
    return tomli_w.dumps({**data, "parties": parties, "schema": schema_data(project.linkage)})


def schema_data(schema: Schema) -> dict[str, Any]:
    """The schema as data that `unveil.schema.parse` takes back, without columns: each owner names its own."""
    own: Any = {"input": True, "attributes": {"__all__": {"column", "other_columns"}}}
    data: dict[str, Any] = schema.model_dump(mode="json", exclude=own, exclude_none=True)
    # A hardening step refuses settings that its method does not take, so only those that were given are written.
    steps = schema.layer_r.hardening
    data["layer_r"]["hardening"] = [
        step.model_dump(mode="json", exclude_unset=True, exclude_none=True) for step in steps
    ]
    return data


def write_new(path: Path, project: Project) -> None:
    """Write a project file; one that exists is never replaced."""
    _write(path, project, mode=_MODE, overwrite=False)


def join(path: Path, party: Party, *, demonstration: bool = False, further: Sequence[Problem] = ()) -> Project:
    """
    Add a party to a project file, whole or not at all, and return the project as it is then.

    A party that has the role, the name or the public key of one that is there is refused; so is one with `further`
    problems, which are told together with these.
    """
    with _locked(path):
        project = load_draft(path, demonstration=True)
        joined = project.model_copy(update={"parties": (*project.parties, party)})
        problems = [*_cross_check(joined, demonstration=demonstration), *further]
        if problems:
            raise ProjectError(str(path), problems, hint="nobody joined; unveil project show lists the parties")
        _write(path, joined, mode=path.stat().st_mode & 0o777, overwrite=True)
    return joined


def _write(path: Path, project: Project, *, mode: int, overwrite: bool) -> None:
    text = project_text(project)
    parse_project(text, source=str(path), demonstration=True, draft=True)  # what is written can be read again
    with replacing(path, overwrite=overwrite, hint=_KEPT) as temporary:
        temporary.write_text(text, encoding="utf-8")
        temporary.chmod(mode)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the file against others who join at the same time, or one of them would be lost."""
    try:
        import fcntl
    except ImportError:  # a system without such locks
        yield
        return
    read_text(path)  # says what is wrong with a file that cannot be read
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        while not os.path.samestat(os.fstat(handle), path.stat()):
            # Whoever held the lock before has put another file in this place.
            os.close(handle)
            handle = os.open(path, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _schema(data: object) -> Schema | list[Problem]:
    """The schema under [schema], or its mistakes, their keys as they are in this file."""
    if not isinstance(data, Mapping):
        what = "missing" if data is None else f"{shown(data)} is not allowed"
        return [Problem("schema", what, "a table (the linkage schema; unveil schema show prints one)")]
    found = checked(data, SCHEMA_FILE)
    mistakes = [*([] if isinstance(found, Schema) else found), *_named_columns(data)]
    if isinstance(found, Schema) and not mistakes:
        return found
    return [Problem(f"schema.{each.key}", each.what, each.allowed) for each in mistakes]


def _named_columns(data: Mapping[str, Any]) -> Iterator[Problem]:
    """
    Columns that a shared schema names, which would decide about each owner's file.

    No fingerprint knows them: whoever hands the file round could have a diagnosis sent as a city, and nobody would see.
    """
    attributes = data.get("attributes")
    for index, attribute in enumerate(attributes if isinstance(attributes, tuple) else ()):
        for key in ("column", "other_columns"):
            if isinstance(attribute, Mapping) and key in attribute:
                yield Problem(f"attributes.{index}.{key}", "a project file names no columns", _OWN_COLUMNS)
    given = data.get("input")
    # Files of earlier versions have the default written out, which says no more than no word does.
    if isinstance(given, Mapping) and given.get("id", Input().id) != Input().id:
        yield Problem("input.id", "a project file names no columns", _OWN_COLUMNS)
    if isinstance(given, Mapping) and given.get("other_ids"):
        yield Problem("input.other_ids", "a project file names no columns", _OWN_COLUMNS)


def _incomplete(project: Project) -> list[Problem]:
    parties = f"one {', one '.join(role.value for role in UNITS)}, {FEWEST_OWNERS} or more owners"
    missing = project.missing()
    return [Problem("parties", f"without {', '.join(missing)}", parties)] if missing else []


def _cross_check(project: Project, *, demonstration: bool) -> list[Problem]:
    """Mistakes that no single key shows."""
    problems = []
    if project.protocol != VERSION:
        problems.append(Problem("protocol", f"{shown(project.protocol)} is not spoken here", str(VERSION)))
    problems += _unjoinable(project.links)
    for index, party in enumerate(project.parties):
        place, before = f"parties.{index}", project.parties[:index]
        problems += _own_mistakes(place, party)
        problems += _clashes(place, party, before, demonstration=demonstration)
    return problems


def _unjoinable(links: LinkSettings) -> Iterator[Problem]:
    """A public key where a research centre joins, and nowhere else."""
    if links.join == RESEARCH_CENTRE and links.public_key is None:
        yield Problem("links.public_key", "missing: nobody could join the link tables", "see unveil join key")
    if links.join != RESEARCH_CENTRE and links.public_key is not None:
        yield Problem("links.public_key", "the owners join together, without anybody's key", "no such key")
    if links.public_key is not None:
        try:
            public_key_of(links.public_key)
        except ValueError:
            what = f"{shown(links.public_key)} is not a public key"
            yield Problem("links.public_key", what, "what unveil join key prints")


def _own_mistakes(place: str, party: Party) -> Iterator[Problem]:
    if party.role == Role.OWNER.value:
        if not party.name:
            yield Problem(f"{place}.name", "missing for an owner", "text, a name of its own")
        if party.address is not None:
            yield Problem(f"{place}.address", "an owner opens no port", "no address")
    elif party.address is None:
        yield Problem(f"{place}.address", f"missing for the {party.role}", "an address such as https://host:8443")
    elif not is_address(party.address):
        yield Problem(
            f"{place}.address", f"{shown(party.address)} is no address of a unit", "https://host or https://host:port"
        )


def _clashes(place: str, party: Party, before: tuple[Party, ...], *, demonstration: bool) -> Iterator[Problem]:
    if party.party in {each.party for each in before}:
        allowed = "a name of its own" if party.role == Role.OWNER.value else f"one {party.role}"
        yield Problem(f"{place}.{'name' if party.name else 'role'}", f"there is {_article(party)} already", allowed)
    if party.address is not None and party.address in {each.address for each in before}:
        yield Problem(f"{place}.address", f"{shown(party.address)} is used twice", "an address of its own")
    holders = [each for each in before if each.public_key == party.public_key]
    # Owners never share a key, in a demonstration neither: one could fetch what is addressed to the other.
    allowed_to = demonstration and all(each.role != Role.OWNER.value for each in (party, *holders))
    if holders and not allowed_to:
        what = f"the {holders[0].party} has the same one"
        yield Problem(f"{place}.public_key", what, "a certificate and key of its own for every party")


def _article(party: Party) -> str:
    return (
        f"an owner {party.name}"
        if party.role == Role.OWNER.value
        else f"a{'n' * party.role.startswith('a')} {party.role}"
    )
