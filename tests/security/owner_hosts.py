"""An owner on a SQLite log, with a handful of invented records, and the record unit's side of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.protocol import codec
from unveil.protocol.messages import Agreement, Message
from unveil.protocol.roles import RECORD_UNIT, Address, owner
from unveil.records import Column, Records
from unveil.roles.chance import SeededChance
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Policy
from unveil.runtime.host import Host
from unveil.schema import Schema, built_in
from unveil.storage.database import Database

KEY = OwnerKey(b"an invented owner key, 32 bytes.")
A = owner("a")


def invented(schema: Schema, count: int = 6) -> Records:
    """Records in which every value is there and every value is different."""
    columns = {name: Column.of(f"{name}{row}" for row in range(count)) for name in schema.names}
    return Records([f"r{row}" for row in range(count)], columns)


def build_owner(
    *, schema: Schema | None = None, policy: Policy | None = None, records: int = 6, name: Address = A
) -> Callable[[], Owner]:
    """How to make an owner."""
    used = schema or built_in()
    encoder, people = Encoder(used, KEY, project="p"), invented(used, records)
    return lambda: Owner(name, people, used, encoder, policy=policy, chance=SeededChance(1, str(name)))


def open_log(folder: Path) -> Database:
    """The owner's database."""
    return Database.open(folder / "owner.sqlite", role="owner", identity="a")


def agreed(host: Host[Owner]) -> list[bytes]:
    """Bring an owner so far that it has uploaded; its handles."""
    host.advance()
    deliver(host, "agreement", Agreement(1, host.machine._presented), RECORD_UNIT)
    host.advance()
    found = host.machine._handles
    assert found is not None
    return [found.column[at : at + 16] for at in range(0, len(found.column), 16)]


def deliver(host: Host[Owner], message_id: str, message: Message, sender: Address) -> bool:
    """Hand a message to an owner."""
    return host.take(sender, message_id, codec.encode(message))
