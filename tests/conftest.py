"""Fixtures for every room: a PostgreSQL server where one is needed. Properties are given the time they take."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
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
