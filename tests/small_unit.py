"""A record unit with two owners of a few invented filters, in this process."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from unveil.projects.project import Party, Project, ProjectLimits
from unveil.protocol.codec import encode
from unveil.protocol.messages import HASH, Fingerprint, RecordEncodings
from unveil.protocol.roles import Address, Role, owner
from unveil.roles.record_unit.machine import RecordUnit
from unveil.runtime.assemble import unit_machine
from unveil.runtime.host import Host
from unveil.schema import built_in
from unveil.schema.presets import with_preset
from unveil.storage.database import Database

A, B = owner("a"), owner("b")
PROJECT = "p"
_BITS = 2048


def project(*, layers: int = 3, records_per_owner: int = 100) -> Project:
    """A project of two owners."""
    parties = tuple(Party(role="owner", name=name, public_key=f"sha256:{name * 42}A") for name in "ab")
    schema = with_preset(built_in(), "unveil", budget=10)
    protocol = schema.protocol.model_copy(update={"layers": layers})
    schema = schema.model_copy(update={"protocol": protocol})
    return Project(
        name=PROJECT, parties=parties, schema=schema, limits=ProjectLimits(records_per_owner=records_per_owner)
    )


def host(database: Database, data: Path, of: Project, *, engine: str = "auto") -> Host[RecordUnit]:
    """The record unit on its log."""
    log = database.project(PROJECT)
    build = unit_machine(Role.RECORD_UNIT, of, log, data=data, seed=1, engine=engine)
    return Host(build, log, clock=time.time)  # type: ignore[arg-type]


def people(seed: int, count: int) -> np.ndarray:
    """Filters of invented people, 40 % full."""
    bits = np.random.default_rng(seed).random((count, _BITS)) < 0.4
    return np.packbits(bits, axis=1, bitorder="little")


def frame(filters: np.ndarray) -> bytes:
    """Their upload, in one part; all in one block."""
    count, keys = len(filters), len(built_in().blocking)
    one_key = b"\x01" * HASH + bytes(HASH * (keys - 1))  # who agrees on two is a candidate however unlike
    handles = b"".join(i.to_bytes(16, "big") for i in range(count))
    return encode(RecordEncodings(bytes(16), 0, 1, _BITS, keys, handles, filters.tobytes(), one_key * count))


def agree(at: Host[RecordUnit]) -> None:
    """Both owners show the same fingerprint."""
    for sender in (A, B):
        at.take(sender, "hello", encode(Fingerprint(b"\x01" * 16)))
    at.advance()


def upload(at: Host[RecordUnit], sender: Address, filters: np.ndarray) -> None:
    """One owner's records come in."""
    at.take(sender, "records", frame(filters))
