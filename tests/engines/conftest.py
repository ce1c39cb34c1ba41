from __future__ import annotations

import pytest

from unveil.engines import NAMES, choose, problem
from unveil.linkage.engine import Engine


#: Every call of Spark is a job of a second or more, so that it has tests of its own: test_spark_engine.py.
@pytest.fixture(params=[name for name in NAMES if name not in {"auto", "spark"}], scope="session")
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine that this machine has."""
    missing = problem(request.param)
    if missing is not None:
        pytest.skip(f"{missing.message}")
    return choose(request.param)
