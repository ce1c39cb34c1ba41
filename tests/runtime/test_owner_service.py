"""The owner's application without a terminal: what a web console would see."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from unveil.errors import SettingError, UnveilError
from unveil.lab.local_parties import folder
from unveil.lab.simulation.study import simulation_key
from unveil.lab.synthetic import generate, write
from unveil.runtime.owner.observer import OwnerPhase, PhaseReport, Unwatched
from unveil.runtime.owner.service import OwnerService
from unveil.runtime.owner.stop import StopFlag
from unveil.schema import built_in
from unveil.schema.presets import with_preset


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An owner's folder in a trial whose units were never started."""
    root = tmp_path_factory.mktemp("trial")
    (root / "people").mkdir()
    write(generate(records=100, overlap=0.3, errors=1, seed=1), root / "people")
    schema = with_preset(built_in(), "unveil", budget=20)
    return folder.make(root, schema, seed=1, key=simulation_key(1).secret).root / "owner-a"


class Watcher(Unwatched):
    """Remembers what it was told, and stops the work when a unit is in trouble."""

    def __init__(self, stop: StopFlag) -> None:
        self.stop, self.heard = stop, list[str]()

    def busy(self, what: str) -> AbstractContextManager[object]:
        self.heard.append(what)
        return nullcontext()

    def phase(self, report: PhaseReport) -> None:
        self.heard.append(report.phase.name)

    def trouble(self, unit: str, why: str) -> None:
        self.heard.append(f"{unit}: {why}")
        self.stop.set()


def test_the_service_reports_and_prints_nothing(owner: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whoever shows it decides how."""
    service = OwnerService(owner, demonstration=True)
    assert 100 == service.check().record_unit.records
    status = service.status()
    assert (False, False, 3) == (status.prepared, status.links, len(status.units))
    assert [] == service.links()
    assert service.ledger().totals is None
    assert ((), {}) == (service.waiting().wishes, service.waiting().as_json())
    assert ("", "") == capfd.readouterr()


@pytest.mark.parametrize(
    ("work", "phase"),
    [
        (OwnerService.upload, OwnerPhase.SHOWING_FINGERPRINT),
        (OwnerService.run, OwnerPhase.WAITING_FOR_FINGERPRINT),
    ],
)
def test_an_observer_hears_of_phases_and_trouble_and_may_stop_the_work(
    owner: Path, capfd: pytest.CaptureFixture[str], work: object, phase: OwnerPhase
) -> None:
    """Units that are away are waited for until somebody says that it is enough."""
    assert callable(work)
    stop = StopFlag()
    watcher = Watcher(stop)
    assert work(OwnerService(owner, demonstration=True, observer=watcher), stop) is None
    assert ["reading records", "reading the log", phase.name] == list(dict.fromkeys(watcher.heard))[:3]
    assert any("cannot be reached" in line for line in watcher.heard)
    assert ("", "") == capfd.readouterr()


def test_a_folder_that_is_not_there_says_how_to_make_one(tmp_path: Path) -> None:
    """Every call reads the configuration anew."""
    for call in (OwnerService.check, OwnerService.status, OwnerService.links):
        with pytest.raises(SettingError, match="no such folder"):
            call(OwnerService(tmp_path / "none"))
    with pytest.raises(UnveilError, match="no such folder"):
        OwnerService(tmp_path / "none").upload(StopFlag())
