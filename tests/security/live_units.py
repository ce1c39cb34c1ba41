"""Real units that listen, and raw calls to them: every byte of the answer counts."""

from __future__ import annotations

import secrets
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from two_projects import PROJECTS, TwoProjects, make

from http_answers import read_answer
from patience import PATIENCE
from three_units import start_units
from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.lab.local_parties.processes import ports_held
from unveil.protocol import codec
from unveil.protocol.messages import Message
from unveil.storage.database import Database
from unveil.transport.http.tls import Credentials, client_context

_DAY = 86_400.0


@dataclass
class LiveUnits:
    """Where they listen, and tokens of people by unit and by "reviewer alpha", "operator beta" and so on."""

    folder: TwoProjects
    pid: int
    tokens: dict[str, dict[str, str]] = field(default_factory=dict)

    def address(self, unit: str) -> tuple[str, int]:
        """Host and port of a unit."""
        host, port = self.url(unit).removeprefix("https://").split(":")
        return host, int(port)

    def url(self, unit: str) -> str:
        """The address of a unit."""
        return self.folder.project("alpha").address(UNIT_FOLDERS[unit])

    def line(self, unit: str, identity: str | None = None) -> Line:
        """A connection with a certificate, such as alpha-north, or without."""
        return Line(self.address(unit), self.context(identity))

    def context(self, identity: str | None = None) -> ssl.SSLContext:
        """What the holder of that certificate calls with."""
        return client_context(self.folder.credentials(identity) if identity else Credentials(self.folder.authority))

    def put(
        self, unit: str, identity: str, message: Message | bytes, *, project: str | None = None
    ) -> tuple[int, bytes]:
        """Hand in a message as that party; status and body of the answer."""
        body = message if isinstance(message, bytes) else codec.encode(message)
        path = f"/v1/projects/{project or identity.split('-', maxsplit=1)[0]}/messages/{secrets.token_hex(8)}"
        with self.line(unit, identity) as line:
            return parted(line.ask("PUT", path, body, "application/octet-stream"))

    def head(self, unit: str, project: str = "alpha") -> tuple[int, bytes]:
        """Where a unit's log ends."""
        with Database.inspect(self.folder.database(unit)) as database:
            return next(log.head for log in database.logs() if log.name == project)

    def memory(self) -> int:
        """Bytes of memory that the units' process holds at most so far."""
        text = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return next(int(row.split()[1]) * 1024 for row in text.splitlines() if row.startswith("VmHWM"))


class Line:
    """One TLS connection; answers are read whole."""

    def __init__(self, address: tuple[str, int], context: ssl.SSLContext) -> None:
        plain = socket.create_connection(address, timeout=PATIENCE)
        try:
            self.socket = context.wrap_socket(plain, server_hostname=address[0])
        except BaseException:
            plain.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(
        self, method: str, path: str, body: bytes = b"", kind: str = "", *, token: str | None = None, more: str = ""
    ) -> bytes:
        """The answer to a request, byte for byte."""
        head = f"{method} {path} HTTP/1.1\r\nHost: unit\r\n{more}"
        head += f"Authorization: Bearer {token}\r\n" if token is not None else ""
        head += f"Content-Type: {kind}\r\n" if kind else ""
        head += f"Content-Length: {len(body)}\r\n" if body or kind else ""
        return self.send(head.encode() + b"\r\n" + body)

    def send(self, sent: bytes) -> bytes:
        """The answer to these bytes."""
        with suppress(OSError):  # cut off while sending; what was answered before may still be read
            self.socket.sendall(sent)
        return read_answer(self.socket)


def parted(answer: bytes) -> tuple[int, bytes]:
    """Status and body; 0 if there is no answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return (int(head.split(b" ", 2)[1]), body) if head else (0, b"")


def undated(answer: bytes) -> bytes:
    """An answer without the time at which it was given."""
    return b"\r\n".join(row for row in answer.split(b"\r\n") if not row.lower().startswith(b"date:"))


@contextmanager
def serving(root: Path, *, wait_s: float = 30.0) -> Iterator[LiveUnits]:
    """The units, until the block ends; `wait_s` is the longest wait for mail."""
    folder = make(root)
    with ports_held(folder.project("alpha").address(role) for role in UNIT_FOLDERS.values()):
        tokens = {unit: _tokens(folder, unit) for unit in UNIT_FOLDERS}
        process = start_units(root, wait_s=wait_s)
        try:
            yield LiveUnits(folder, process.pid, tokens)
            assert process.poll() is None, (root / "units.log").read_text(encoding="utf-8")[-2000:]
        finally:
            process.kill()
            process.wait()


def _tokens(folder: TwoProjects, unit: str) -> dict[str, str]:
    now = time.time()
    with Database.open(folder.database(unit), role=UNIT_FOLDERS[unit].value) as database:
        found = {
            f"{role} {project}": database.tokens.issue(project, role, expires=now + _DAY, now=now)
            for role in ("reviewer", "operator")
            for project in PROJECTS
        }
        for role in ("reviewer", "operator"):
            found[f"expired {role}"] = database.tokens.issue("alpha", role, expires=now - _DAY, now=now - 2 * _DAY)
            found[f"revoked {role}"] = database.tokens.issue("alpha", role, expires=now + _DAY, now=now)
            assert database.tokens.revoke(found[f"revoked {role}"].split(".")[1])
    return found
