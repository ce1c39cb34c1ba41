"""A unit's configuration as it is first written: every setting stands there, with what it means."""

from __future__ import annotations

from dataclasses import dataclass, field

import tomli_w

from unveil.protocol.roles import Role

_TEXT = """\
# What the {unit} is told. unveil serve {slug} --config {file}
# Paths are relative to this file. After a change: unveil doctor {file}, and start the unit again.

# Whose configuration this is; another unit refuses it.
{role}

# The log: a file of this unit alone, or an empty database of which the unit's user is the owner,
# such as "postgresql://unveil@db.example.org/{name}". A password belongs into ~/.pgpass, not in here.
{database}

# A folder for what can be computed again; made if it is not there. One process uses it at a time.
{data}

# What the record unit compares with: auto takes the fastest that this machine has (gpu, cpu or reference).
# unveil engines lists them. The other units do not use it.
{engine}

# How many MB of pairs the record unit holds in memory while it compares; what is more lies in files in data that have
# no name, so that none is left behind. Records come on top: about 600 MB for a million of either owner.
{columns_in_memory}

[listen]
# An address of this machine: 0.0.0.0 is all of them, 127.0.0.1 this machine alone.
{host}
# The project file tells callers {address}.
{port}

[tls]
# This unit's certificate and its private key (mode 600), and the authority that signed everybody's.
{certificate}
{key}
{authority}
"""
_PROJECT = """
# One table for each project. A second project needs a certificate and a key of its own, beside its file.
[[projects]]
{file}
"""


@dataclass(frozen=True, slots=True)
class UnitSettings:
    """What a unit's configuration holds, paths as they shall stand there."""

    role: Role
    certificate: str
    key: str
    authority: str
    project: str
    address: str  #: under which callers know it
    host: str
    port: int
    database: str = field(repr=False)  #: may hold a password
    data: str
    engine: str = "auto"
    columns_in_memory: int = 1024


def unit_text(settings: UnitSettings, *, file: str) -> str:
    """The text of the configuration; `file` is how commands in its comments call it."""
    names = ("database", "data", "engine", "columns_in_memory", "host", "port", "certificate", "key", "authority")
    lines = {name: _line(name, getattr(settings, name)) for name in names}
    role = settings.role
    words = {"unit": role.value, "slug": role.slug, "name": role.slug.replace("-", "_")}
    text = _TEXT.format(role=_line("role", role.slug), file=file, address=settings.address, **words, **lines)
    return text + _PROJECT.format(file=_line("file", settings.project))


def _line(key: str, value: str | int) -> str:
    return tomli_w.dumps({key: value}).rstrip("\n")
