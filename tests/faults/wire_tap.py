"""
A tap in every forked party: what it hands over, and what the other side acknowledged, line by line in one file.

A line is one write to a file opened for appending, so a killed process leaves a whole line or none.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.protocol import codec
from unveil.protocol.messages import AttributeEncodings, AttributeValues
from unveil.transport.http.client import UnitClient

SENT, ACKNOWLEDGED, FETCHED = "sent", "acknowledged", "fetched"


@dataclass(frozen=True)
class Line:
    """A message that `party` sent to the unit at `address`, that the unit acknowledged, or that it has fetched."""

    what: str
    party: str
    address: str
    message_id: str
    digest: str = ""
    disclosed: tuple[str, ...] = ()  # pairs or tasks that it discloses something about


_tap: dict[str, Any] = {}


def open_tap(path: Path, party: str) -> None:
    """Begin to write, after the fork."""
    _tap.update(handle=os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), party=party)


def _note(what: str, client: UnitClient, message_id: str, **more: object) -> None:
    line = {"what": what, "party": _tap["party"], "address": client.address, "message_id": message_id, **more}
    with suppress(OSError):  # a party whose disk fails cannot write here either
        os.write(_tap["handle"], json.dumps(line).encode() + b"\n")


def install() -> None:
    """Tap the calls of every party that is forked from here on."""
    put, acknowledge = UnitClient.put, UnitClient.acknowledge

    def tapped_put(self: UnitClient, message_id: str, frame: bytes) -> None:
        digest = hashlib.sha256(frame).hexdigest()
        _note(SENT, self, message_id, digest=digest, disclosed=_disclosed(frame))
        put(self, message_id, frame)
        _note(ACKNOWLEDGED, self, message_id, digest=digest)

    def tapped_acknowledge(self: UnitClient, message_id: str) -> None:
        _note(FETCHED, self, message_id)  # it is in the owner's log, or should be
        acknowledge(self, message_id)

    UnitClient.put = tapped_put  # type: ignore[method-assign]
    UnitClient.acknowledge = tapped_acknowledge  # type: ignore[method-assign]


def _disclosed(frame: bytes) -> list[str]:
    message = codec.decode(frame)
    if isinstance(message, AttributeEncodings):
        column = message.pair_ids
    elif isinstance(message, AttributeValues):
        column = message.task_ids
    else:
        return []
    return [column[start : start + 16].hex() for start in range(0, len(column), 16)]


def read_tap(path: Path, start: int = 0) -> tuple[list[Line], int]:
    """The whole lines from a place in the file on, and the place after them."""
    if not path.exists():
        return [], start
    with path.open("rb") as file:
        file.seek(start)
        text = file.read()
    whole = text[: text.rfind(b"\n") + 1]
    lines = [json.loads(line) for line in whole.splitlines()]
    return [Line(**line | {"disclosed": tuple(line.get("disclosed", ()))}) for line in lines], start + len(whole)
