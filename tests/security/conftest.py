"""Runs and units that many tests look at; those that are through are shared by all test processes."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from field_run import CONSENT, FieldRun, Observed, conduct, prepare
from live_units import LiveUnits, serving

from unveil.lab.local_parties.folder import Trial


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this test session see."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "security"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def plain_run(shared: Path) -> FieldRun:
    """A linkage without decoys and without a policy."""
    return _once(shared / "plain", prepare)


@pytest.fixture(scope="session")
def decoy_run(shared: Path) -> FieldRun:
    """A linkage with decoys, in which a third of owner a's records stays behind."""
    return _once(shared / "decoys", lambda root: prepare(root, decoys=0.3, consent=CONSENT))


@pytest.fixture(scope="session", params=["plain_run", "decoy_run"])
def run(request: pytest.FixtureRequest) -> FieldRun:
    """Either of them."""
    found: FieldRun = request.getfixturevalue(request.param)
    return found


def _once(root: Path, make: Callable[[Path], Trial]) -> FieldRun:
    """Whoever comes first makes the run, the others wait for it."""
    done = root.with_suffix(".pickle")
    with root.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            assert not root.exists(), "the run has failed already, in another test"
            observed = conduct(make(root))
            done.write_bytes(pickle.dumps(observed))
    seen: Observed = pickle.loads(done.read_bytes())  # noqa: S301 - written above
    return FieldRun(Trial(root), seen)


@pytest.fixture(scope="session")
def units(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveUnits]:
    """Three units that serve two projects, without anything that is allowed in demonstrations alone."""
    with serving(tmp_path_factory.mktemp("units")) as live:
        yield live
