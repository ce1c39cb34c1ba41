"""
What holds for the tests of every room.

A PostgreSQL server where one is needed; as much time as a property takes; and which tests are `slow`, so that
`make quick` leaves them out and `make test` does not trace them: see `pytest_runtest_protocol`.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

from postgres import PostgresServer, running_server

# A machine that stands still for a second makes no property wrong.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# A shell starts what runs in the background deaf to interrupts, and every process it starts in turn would be.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server of this test process, started by the first test that asks for it."""
    yield from running_server()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of a fresh, empty PostgreSQL database, which goes away with the test."""
    url = postgres_server.new_database()
    yield url
    postgres_server.drop(url)


TESTS = Path(__file__).parent
#: Folders whose rooms compute and no more. Tests in any other folder are slow, whatever they do: most of those start
#: servers, processes or databases, and a new one must not make `make quick` wait.
QUICK = frozenset({
    "encoding", "files", "joining", "linkage", "models", "privacy", "protocol", "roles", "safety", "schema",
    "screening", "settings",
})  # fmt: skip
#: What Python reports when a process is started or an address is taken.
STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "socket.bind"})
started: list[str] = []
sys.addaudithook(lambda event, _: started.append(event) if event in STARTS else None)


def in_slow_folder(path: Path) -> bool:
    """Whether it lies in a folder of tests that is not listed as quick; files beside this one lie in none."""
    inside = path.relative_to(TESTS).parts
    return len(inside) > 1 and inside[0] not in QUICK


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare `make quick` the import of files whose tests would all be left out."""
    folder = collection_path / "any" if collection_path.is_dir() else collection_path
    only_quick = config.getoption("markexpr") == "not slow"
    return True if only_quick and folder.is_relative_to(TESTS) and in_slow_folder(folder) else None


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark by folder what is slow; a test elsewhere says so itself."""
    for item in items:
        if in_slow_folder(item.path):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """
    Trace neither slow tests nor what is set up for them.

    Coverage is asked of the pure rooms, and their quick tests must reach it. Slow tests run through the same code
    again and again: to trace every line of that would make some take four times as long, and show nothing new.
    """
    stopped = []
    if item.get_closest_marker("slow") is not None:
        # In a worker of xdist pytest-cov starts two, and the first goes on as soon as the second is stopped.
        while (tracing := Coverage.current()) is not None:
            tracing.stop()
            stopped.append(tracing)
    try:
        return (yield)
    finally:
        for tracing in reversed(stopped):
            tracing.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that starts a process or takes an address and is not marked as slow."""
    started.clear()
    result = yield
    if started and item.get_closest_marker("slow") is None:
        pytest.fail(f"this test has to be marked as slow, for it does {', '.join(sorted(set(started)))}", pytrace=False)
    return result
