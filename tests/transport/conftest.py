"""The trial project, and its record unit listening."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from live_unit import Live, listening
from memory_unit import MemoryUnit
from trial_certificates import TrialAuthority
from trial_project import Trial

from unveil.protocol.roles import Role


@pytest.fixture(scope="session")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    folder = tmp_path_factory.mktemp("pki")
    authority = TrialAuthority(folder, "authority")
    names = ("north", "south", "record unit", "attribute unit", "review unit")
    parties = {name: authority.issue(name) for name in names}
    return Trial(folder, authority, TrialAuthority(folder, "stranger"), parties)


@pytest.fixture(scope="module")
def served(trial: Trial) -> Iterator[tuple[MemoryUnit, Live]]:
    unit = trial.unit(Role.RECORD_UNIT)
    with listening(unit, trial.parties["record unit"]) as live:
        yield unit, live


@pytest.fixture
def live(served: tuple[MemoryUnit, Live]) -> Live:
    return served[1]


@pytest.fixture
def record_unit(served: tuple[MemoryUnit, Live]) -> MemoryUnit:
    """The unit behind `live`, empty."""
    unit = served[0]
    unit.taken.clear()
    unit.mailbox.clear()
    unit.hold = None
    return unit
