"""The storage tests run on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import let_go


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a fresh, empty database of each kind."""
    if request.param == "sqlite":
        address = f"sqlite:///{tmp_path}/unit.db"
    else:
        address = str(request.getfixturevalue("postgres_url"))
    yield address
    let_go(address)
