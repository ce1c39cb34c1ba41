"""One warm process for all tests of faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fleet import Zygote


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Forks parties for as long as the session lasts."""
    with Zygote() as warm:
        yield warm
