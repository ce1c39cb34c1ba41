"""A database behind Unveil's back: raw SQL on both kinds, the bytes of a SQLite file, and a log to begin with."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import psycopg
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from unveil.storage.log import chain, contents
from unveil.storage.log.log import ProjectLog
from unveil.storage.log.outbox import Outgoing

TABLES = ("projects", "log", "bodies", "nonces", "outgoing", "erasures", "kept")


def raw(url: str, sql: str, values: Sequence[Any] = ()) -> list[Any]:
    """Run one statement on a connection that Unveil does not know of, and return its rows."""
    cursor = connection(url).cursor()
    placed = sql.replace("?", "%s") if url.startswith("postgresql") else sql
    cursor.execute(placed, list(values), **({"binary": True} if url.startswith("postgresql") else {}))
    return cursor.fetchall() if cursor.description else []


@lru_cache
def connection(url: str) -> Any:
    """One connection to a database, kept for the next statement; every statement takes effect at once."""
    if url.startswith("postgresql"):
        return psycopg.connect(url, autocommit=True)
    opened = sqlite3.connect(path_of(url), isolation_level=None)
    opened.execute("PRAGMA synchronous = OFF")
    return opened


def let_go(url: str) -> None:
    """Close the connection."""
    connection(url).close()
    connection.cache_clear()


def columns(url: str, table: str) -> list[str]:
    """The names of a table's columns."""
    if url.startswith("postgresql"):
        query = "SELECT column_name FROM information_schema.columns WHERE table_name = ? ORDER BY ordinal_position"
        return [name for (name,) in raw(url, query, [table])]
    return [row[1] for row in raw(url, f"PRAGMA table_info({table})")]


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def file_bytes(url: str) -> bytes:
    """All that SQLite has on the disk: the file, its write-ahead log and its index."""
    path = path_of(url)
    parts = [path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")]
    return b"".join(part.read_bytes() for part in parts if part.exists())


def fill(log: ProjectLog) -> None:
    """Entries of every sort: messages, decisions that send, an erasure, a delivery."""
    log.append(kind="message", sender="owner a", message_id="m1", body=b"first", stub=b"left over", time=1.0)
    log.append(kind="message", sender="owner b", message_id="m2", body=b"second, long", kept=b"second", time=2.0)
    sent = [Outgoing("owner a", "w1", b"a wish"), Outgoing("owner b", "w2", b"another wish")]
    log.append(kind="decision", body=b"wish", time=3.5, outgoing=sent)
    log.append(kind="decision", body=b"", time=3.5)
    log.erase([1], time=7.0)
    log.delivered("w1", recipient="owner a")


def encrypted_alone(content: bytes, label: contents.Label) -> contents.Sealed:
    """A content as earlier releases sealed it, bound to no place; their tables had no column `form`."""
    del label
    nonce = chain.new_nonce()
    key = hashlib.sha256(b"unveil-seal-1" + nonce).digest()
    sealed = Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor().update(content)
    return contents.Sealed(nonce, chain.commitment(nonce, content), sealed)
