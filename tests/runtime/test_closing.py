"""The end of a project, while a server is at work on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from small_unit import PROJECT, A, B, agree, host, people, project, upload
from unveil.errors import Closed, SettingError
from unveil.lab.local_parties import folder
from unveil.lab.synthetic import generate, write
from unveil.linkage.engine import comparing
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Role
from unveil.roles.record_unit.machine import RecordUnit
from unveil.runtime import serve
from unveil.runtime.assemble import cache_folder
from unveil.runtime.closing import close, forget_if_closed
from unveil.runtime.host import Host
from unveil.schema import built_in
from unveil.schema.presets import with_preset
from unveil.storage.database import Database
from unveil.transport.logs import logger


@pytest.fixture
def databases(tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """The server's way to the database, and that of the command that closes the project."""
    url = tmp_path / "log.sqlite"
    with Database.open(url, role="record unit") as one, Database.open(url, role="record unit") as two:
        yield one, two


def uploaded(server: Host[RecordUnit]) -> None:
    agree(server)
    for sender, seed in ((A, 1), (B, 2)):
        upload(server, sender, people(seed, 20))


def test_a_project_closed_while_its_server_compares_leaves_no_similarities(
    databases: tuple[Database, Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command removes what was cached; the comparison that ends afterwards must not bring it back."""
    at_work: list[bool] = []

    def closing_meanwhile(*words: Any, **options: Any) -> Callable[..., Any]:
        compare = comparing(*words, **options)

        def compared(*sides: Any, **options: Any) -> Any:
            found = compare(*sides, **options)
            if at_work and at_work.pop():
                close(host(databases[1], tmp_path, of), force=True)
                forget_if_closed(databases[1].project(PROJECT), tmp_path)
            return found

        return compared

    monkeypatch.setattr("unveil.runtime.assemble.comparing", closing_meanwhile)
    of = project()
    server = host(databases[0], tmp_path, of)
    uploaded(server)
    at_work.append(True)
    with pytest.raises(Closed):
        server.advance()
    assert [] == at_work
    assert not cache_folder(tmp_path, PROJECT).exists()
    assert server._machine is None


def test_links_that_were_found_while_the_log_was_read_are_kept(
    databases: tuple[Database, Database], tmp_path: Path
) -> None:
    """The command reads the log, which takes a while; the server may finish in the meantime."""
    of = project(layers=1)
    server, command = (host(database, tmp_path, of) for database in databases)
    uploaded(server)
    assert not command.machine.finished
    server.advance()
    tables = server.machine.kept_at_closing()
    counts = close(command, force=True)
    log = databases[0].project(PROJECT)
    assert {"owner a": 640, "owner b": 640} == {name: len(table) for name, table in tables.items()}
    assert tables == {name: log.kept(name) for name in log.kept_names()}
    assert (counts, []) == (log.summary(), log.verify())


def test_messages_that_come_with_the_last_decision_are_not_lost_unawares(
    databases: tuple[Database, Database], tmp_path: Path
) -> None:
    """Nothing waited when the command looked; what the server sends meanwhile is noticed, and nothing is closed."""
    of = project(layers=1)
    server, command = (host(database, tmp_path, of) for database in databases)
    uploaded(server)
    log = databases[0].project(PROJECT)
    for one in log.outgoing(limit=9):
        log.delivered(one.message_id, recipient=one.recipient)
    plain = command.log.counts
    looked: list[int] = []

    def counts() -> dict[str, int]:
        found = plain()
        if not looked:
            server.advance()
        looked.append(found["waiting"])
        return found

    command.log.counts = counts  # type: ignore[method-assign]
    with pytest.raises(SettingError, match="the links were not found yet"):
        close(command, force=False)
    with pytest.raises(SettingError, match="6 messages were not delivered yet"):
        close(command, force=False)
    assert ([0, 6], "open") == (looked, log.state)


def test_a_start_removes_what_a_killed_command_left(tmp_path: Path) -> None:
    """The power may fail after a project was closed and before what was cached is gone."""
    (tmp_path / "people").mkdir()
    write(generate(records=20, overlap=0.2, errors=1, seed=1), tmp_path / "people")
    trial = folder.make(tmp_path, with_preset(built_in(), "unveil", budget=10), seed=1, key=bytes(range(32)))
    config = UnitConfig.load(trial.config("record-unit"), demonstration=True)
    members = serve.members_of(Role.RECORD_UNIT, config, demonstration=True)
    cached = cache_folder(config.data, folder.PROJECT)
    with (
        Database.open(config.database, role="record unit", demonstration=True) as database,
        (tmp_path / "log").open("w", encoding="utf-8") as log,
    ):
        for state in ("open", "closed"):
            cached.mkdir(parents=True, exist_ok=True)
            (cached / "half written").write_bytes(b"computed from encodings")
            if state == "closed":
                database.project(folder.PROJECT).close({}, {}, time=time.time())
            workers = serve._workers(Role.RECORD_UNIT, config, members, database, logger(log))
            for client in workers[folder.PROJECT].clients.values():
                client.close()
            assert (state == "open") == cached.exists()
