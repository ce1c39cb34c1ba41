"""Full disks, closed folders, lost servers: a clear error, nothing half done, and work goes on afterwards."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from postgres import PostgresServer
from unveil.errors import StorageError
from unveil.storage.database import Database
from unveil.storage.log import outbox
from unveil.storage.log.log import ProjectLog
from unveil.storage.log.outbox import Outgoing


def append(log: ProjectLog, number: int, size: int = 10) -> int:
    sent = [Outgoing("owner", str(number), b"sent")]
    return log.append(kind="message", sender="a", message_id=str(number), body=bytes(size), time=0.0, outgoing=sent)


def as_before(log: ProjectLog, count: int) -> None:
    """The log holds so many entries and messages, and nothing of another."""
    assert (count, count) == (len(list(log.entries())), len(log.outgoing(limit=99)))
    assert [] == log.verify()


def test_a_full_sqlite_database_says_so_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """SQLite's own limit of pages stands in for the disk's; the next connection has none."""
    with Database.open(tmp_path / "unit.db", role="record unit") as database:
        log = database.project("flu")
        append(log, 1)
        connection: Any = database._backend._connection  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(StorageError, match="disk is full") as caught:
            append(log, 2, size=1 << 20)
        assert "free some space on its disk; nothing was lost" == caught.value.hint
        as_before(log, 1)
        assert 2 == append(log, 2, size=1 << 20)
        as_before(log, 2)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of 4 MB."""
    folder = Path(tempfile.mkdtemp(prefix="unveil-disk-"))
    mount, umount = shutil.which("mount"), shutil.which("umount")
    words = ["-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", str(folder)]
    if not mount or not umount or subprocess.run([mount, *words], capture_output=True, check=False).returncode:
        folder.rmdir()
        pytest.skip("this user cannot mount a small disk")
    yield folder
    subprocess.run([umount, str(folder)], check=True)
    folder.rmdir()


def test_a_full_disk_loses_nothing(small_disk: Path) -> None:
    """The same with a real disk, which another program fills and frees again."""
    ballast = small_disk / "ballast"
    with Database.open(small_disk / "unit.db", role="record unit") as database:
        log = database.project("flu")
        append(log, 1)
        ballast.write_bytes(bytes(3 << 20))
        seqs: list[int] = []
        with pytest.raises(StorageError) as caught:
            seqs.extend(append(log, number, size=50_000) for number in range(2, 40))
        count = 1 + len(seqs)
        assert "space" in str(caught.value.hint) or "disk" in str(caught.value.hint)
        as_before(log, count)
        ballast.unlink()
        assert count + 1 == append(log, count + 1, size=50_000)
        as_before(log, count + 1)


CLOSED_FOLDER = """
import os, sys
from pathlib import Path
from unveil.errors import StorageError
from unveil.storage.database import Database

folder = Path(sys.argv[1])
if os.geteuid() == 0:  # after the imports: the interpreter itself may lie where only root can read
    os.chown(folder, 65534, 65534)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)

def attempt():
    try:
        with Database.open(folder / "unit.db", role="owner") as database:
            log = database.project("flu")
            log.append(kind="decision", body=b"x", time=0.0)
            print(len(list(log.entries())), log.verify())
    except StorageError as error:
        print("refused:", error.hint)

folder.chmod(0o500)
attempt()
folder.chmod(0o700)
attempt()
(folder / "unit.db").chmod(0o400)
folder.chmod(0o500)
attempt()
folder.chmod(0o700)
(folder / "unit.db").chmod(0o600)
attempt()
"""


def test_a_folder_that_cannot_be_written_is_a_clear_error() -> None:
    """Nothing stops root, so where the tests run as root a child becomes `nobody`."""
    folder = Path(tempfile.mkdtemp(prefix="unveil-closed-"))
    try:
        command = [sys.executable, "-c", CLOSED_FOLDER, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    finally:
        shutil.rmtree(folder)
    refused = "refused: the file and its folder must be writable by this user"
    assert ([refused, "1 []", refused, "2 []"], "") == (done.stdout.splitlines(), done.stderr)


def test_a_file_that_went_away_is_not_made_anew(tmp_path: Path) -> None:
    """An empty log in place of the one that was deleted would look as if nothing had ever happened."""
    path = tmp_path / "unit.db"
    with Database.open(path, role="owner") as database:
        log = database.project("flu")
        append(log, 1)
        path.rename(tmp_path / "elsewhere.db")
        with pytest.raises(StorageError, match="no such file"):
            append(log, 2)
        assert not path.exists()


def test_a_damaged_file_and_no_database_at_all_are_clear_errors(tmp_path: Path) -> None:
    """A traceback of the driver would be no help."""
    (tmp_path / "text").write_text("no database, but long enough to be looked at" * 99)
    (tmp_path / "text").chmod(0o600)
    for attempt in (lambda p: Database.open(p, role="owner"), Database.inspect):
        with pytest.raises(StorageError, match=r"not a SQLite database|holds no log"):
            attempt(tmp_path / "text")
        with pytest.raises(StorageError, match=r"does not exist|no such file"):
            attempt(tmp_path / "nowhere" / "unit.db")


def test_a_server_that_stops_during_a_write_leaves_nothing_of_it(
    postgres_url: str, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same object works again as soon as the server does, with what was acknowledged and no more."""
    with Database.open(postgres_url, role="record unit") as database:
        log = database.project("flu")
        append(log, 1)
        insert = outbox.Parcels.insert

        def stopping(*words: Any) -> bytes:
            postgres_server.stop()
            return insert(*words)

        try:
            with monkeypatch.context() as patch:
                patch.setattr(outbox.Parcels, "insert", stopping)
                with pytest.raises(StorageError, match="connection was lost") as caught:
                    append(log, 2)
            assert "check that the server runs; the next call connects again" == caught.value.hint
            with pytest.raises(StorageError, match="connection was lost"):
                list(log.entries())
        finally:
            postgres_server.start()
        as_before(log, 1)
        assert 2 == append(log, 2)
        as_before(log, 2)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_a_server_that_was_restarted_meanwhile_is_not_even_noticed(
    postgres_url: str, postgres_server: PostgresServer, how: signal.Signals
) -> None:
    """A transaction that has not begun can be begun again on a new connection."""
    with Database.open(postgres_url, role="record unit") as database:
        log = database.project("flu")
        append(log, 1)
        postgres_server.stop(how)
        postgres_server.start()
        assert 2 == append(log, 2)
        as_before(log, 2)


def test_two_writers_take_turns(url: str) -> None:
    """While one transaction writes, another waits, and gives up with a clear error if it waits too long."""
    with Database.open(url, role="owner") as one, Database.open(url, role="owner") as two:
        log = two.project("flu")
        statement = "SET lock_timeout = '50ms'" if url.startswith("postgresql") else "PRAGMA busy_timeout = 50"
        connection: Any = two._backend._connection  # type: ignore[attr-defined]
        connection.execute(statement)
        with one._backend.write(), pytest.raises(StorageError, match="another process keeps it locked"):
            append(log, 1)
        assert 1 == append(log, 1)
