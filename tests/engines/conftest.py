from __future__ import annotations

import pytest

from unveil.engines import NAMES, choose, problem
from unveil.linkage.engine import Engine


@pytest.fixture(params=[name for name in NAMES if name != "auto"], scope="session")
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine that this machine has."""
    missing = problem(request.param)
    if missing is not None:
        pytest.skip(f"{missing.message}")
    return choose(request.param)
