"""A unit that keeps everything in memory, to put behind the HTTP application in tests."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unveil.errors import Closed, Conflict, SettingError, StorageError, TooEarly
from unveil.protocol.roles import Role
from unveil.transport.gauges import Gauge, GaugeReading
from unveil.transport.port import JSON, Caller

SECRET = "Wilhelmine"


@dataclass
class MemoryUnit:
    """Takes any frame, except a few that stand for a way to fail."""

    role: Role
    keys: dict[str, tuple[str, Caller]] = field(default_factory=dict)  # public key -> project, caller
    tokens: dict[str, tuple[str, Caller, float]] = field(default_factory=dict)  # token -> project, caller, expires
    taken: dict[str, bytes] = field(default_factory=dict)
    mailbox: list[tuple[str, bytes]] = field(default_factory=list)
    verdicts: dict[str, tuple[bool | None, float]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    hold: threading.Event | None = None  # take waits for it
    taking: threading.Event = field(default_factory=threading.Event)  # take was called
    looked: threading.Event = field(default_factory=threading.Event)  # somebody has looked into the mailbox

    def caller(self, project: str, public_key: str | None, token: str | None, now: float) -> Caller | None:
        """Whoever is listed."""
        if public_key in self.keys:
            home, caller = self.keys[public_key]
            return caller if project in {"", home} else None
        if token in self.tokens:
            home, caller, expires = self.tokens[token]
            return caller if project in {"", home} and now < expires else None
        return None

    def take(self, project: str, caller: Caller, message_id: str, frame: bytes, head: bytes | None) -> None:
        """Keep the frame."""
        del project, head
        self.taking.set()
        if self.hold is not None:
            self.hold.wait()
        match frame:
            case b"early":
                raise TooEarly(caller.role, "Message", "nothing known of that pair")
            case b"full":
                raise StorageError("disk of /var/secret is full")
            case b"closed":
                raise Closed("the project is closed")
            case b"defect":
                raise ValueError(SECRET)
        with self.lock:
            if self.taken.setdefault(message_id, frame) != frame:
                raise Conflict("the id is known with another body")

    def mail(self, project: str, caller: Caller) -> tuple[str, bytes] | None:
        """The first of the mailbox."""
        del project, caller
        with self.lock:
            first = self.mailbox[0] if self.mailbox else None
        self.looked.set()
        return first

    def head(self, project: str) -> bytes:
        """Any head."""
        del project
        return bytes(32)

    def compare(self, project: str, caller: Caller, noted: bytes | None) -> bytes | None:
        """It notes nothing."""
        del project, caller, noted
        return None

    def acknowledge(self, project: str, caller: Caller, message_id: str, head: bytes | None) -> None:
        """Drop it from the mailbox."""
        del project, caller, head
        with self.lock:
            self.mailbox = [(name, frame) for name, frame in self.mailbox if name != message_id]

    def status(self, project: str, caller: Caller) -> Mapping[str, JSON]:
        """The project and the number of messages."""
        del caller
        return {"project": project, "messages": len(self.taken)}

    def metrics(self, caller: Caller) -> Iterable[GaugeReading]:
        """The number of messages, by who asks."""
        yield GaugeReading(Gauge("unveil_messages", "messages taken", ("caller",)), len(self.taken), (caller.role,))

    def step(self, project: str, caller: Caller, step: Mapping[str, Any]) -> Mapping[str, JSON]:
        """No pair waits."""
        del project, caller
        return {"stage": "waiting", "did": step["do"]}

    def tasks(self, project: str, caller: Caller) -> Sequence[Mapping[str, JSON]]:
        """One task."""
        del project, caller
        return [{"task": "t1", "cells": []}]

    def open_cell(self, project: str, caller: Caller, task: str, attribute: str, stage: str) -> Mapping[str, JSON]:
        """The task again."""
        del project, caller
        if task != "t1":
            raise SettingError("no such task")
        return {"task": task, "cells": [{"attribute": attribute, "stage": stage}]}

    def verdict(self, project: str, caller: Caller, task: str, match: bool | None, p: float) -> None:  # noqa: FBT001 - as in the port
        """Note it."""
        del project, caller
        if self.verdicts.setdefault(task, (match, p)) != (match, p):
            raise Conflict("decided already")
