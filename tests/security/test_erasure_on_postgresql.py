"""
Values at a review unit on PostgreSQL: gone from every table once their pair is labelled.

What remains is the server's own write-ahead log: it keeps what was written, values sealed and the keys that open them,
until the server recycles those files. Whoever can read the server's files can read that much of the past; an
administrator bounds it (`max_wal_size`, `wal_keep_size`, no archive), Unveil cannot. No value is ever there in clear.
"""

from __future__ import annotations

from pathlib import Path

import psycopg
from planted import MARK, encodings_found, found_in_files, marks
from psycopg import sql

from postgres import PostgresServer
from unveil.linkage.shown import SHOWN
from unveil.protocol import codec
from unveil.protocol.messages import AttributeValues, ReviewTask
from unveil.protocol.roles import ATTRIBUTE_UNIT, owner
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.display import Verdict
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.runtime.host import Host
from unveil.schema import built_in
from unveil.storage.database import Database

OWNERS = (owner("a"), owner("b"))
TASKS = [bytes([n]) * 16 for n in range(1, 9)]


def _tables(url: str) -> bytes:
    """Everything that the database holds, as a reader of its tables sees it."""
    found = []
    with psycopg.connect(url) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (name,) in names:
            rows = connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(name))).fetchall()
            found += [value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row]
    assert found
    return b"\n".join(found)


def _keys(url: str) -> set[bytes]:
    query = "SELECT nonce FROM nonces JOIN log USING (project, seq) WHERE part = 0 AND sender LIKE 'owner%'"
    with psycopg.connect(url) as connection:
        return {row[0] for row in connection.execute(query).fetchall() if any(row[0])}


def test_values_are_gone_from_every_table_once_they_are_labelled(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    """Held while the tasks wait, not afterwards; and never in clear in any file of the server."""
    url, schema = postgres_url, built_in()
    with Database.open(url, role="review unit") as database:
        host = Host(
            lambda: ReviewUnit(schema, OWNERS, chance=SeededChance(1, "review unit")),
            database.project("p"),
            clock=lambda: 1.0,
        )
        width = len(schema.names)
        task = ReviewTask(width, b"".join(TASKS), bytes([SHOWN]) * width * len(TASKS), bytes(width * len(TASKS)))
        assert host.take(ATTRIBUTE_UNIT, "tasks", codec.encode(task))
        for one in OWNERS:
            for number, task_id in enumerate(TASKS):
                values = {name: f"{name}{MARK}{number}{one.name}" for name in schema.names}
                assert host.take(one, f"values {number}", codec.encode(AttributeValues(task_id, (values,))))
        held = b"".join(entry.body or b"" for entry in host.log.entries())
        assert encodings_found(held, marks())
        keys = _keys(url)
        assert 2 * len(TASKS) == len(keys)
        host.deciding(lambda machine: machine.judge([Verdict(task_id, True, 1.0) for task_id in TASKS], reviewer="ann"))
        assert [] == encodings_found(b"".join(entry.body or b"" for entry in host.log.entries()), marks())
    tables = _tables(url)
    assert [] == encodings_found(tables, marks())
    assert not any(key in tables for key in keys)
    assert [] == found_in_files(postgres_server.data, marks())
    postgres_server.administer("CHECKPOINT")
    files = [path for path in Path(postgres_server.data).rglob("*") if path.is_file()]
    with_keys = {path for path in files if any(key in path.read_bytes() for key in keys)}
    assert {"pg_wal"} == {path.parent.name for path in with_keys}  # as the docstring above tells
