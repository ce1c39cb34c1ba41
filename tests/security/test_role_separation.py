"""A unit that could see what another one holds does not start, unless it is told that all is for show."""

from __future__ import annotations

import io
import itertools
import logging
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from tomli_w import dumps as document
from two_projects import TwoProjects, make, unit_config

from unveil.errors import ClaimedError, UnveilError
from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.projects import pki
from unveil.projects.certificates import read_certificate
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Address
from unveil.runtime.serve import serve_unit
from unveil.settings.reader import ProjectError

ORDERED = list(itertools.permutations(UNIT_FOLDERS, 2))


@pytest.fixture(autouse=True)
def calm() -> Iterator[None]:
    """A unit takes over the logs of its process; give them back."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> TwoProjects:
    return make(tmp_path_factory.mktemp("separate"))


def starts(folder: TwoProjects, unit: str, config: dict[str, object], *, demonstration: bool = False) -> bool:
    """Start a unit as far as the moment in which it would listen; whether it came so far."""
    path = folder.config(unit)
    path.write_text(document(config), encoding="utf-8")
    with mock.patch("unveil.runtime.serve.serve") as listening:
        loaded = UnitConfig.load(path, demonstration=demonstration)
        serve_unit(
            UNIT_FOLDERS[unit], loaded, demonstration=demonstration, on_ready=lambda *_: None, logs=io.StringIO()
        )
    return listening.called


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_a_unit_with_everything_of_its_own_starts(made: TwoProjects, unit: str) -> None:
    """The control, twice: a restart is not another unit."""
    config = unit_config(unit, 0) | {"database": f"own-{unit}.sqlite", "data": "own"}
    assert starts(made, unit, config)
    assert starts(made, unit, config)


@pytest.mark.parametrize("what", ["database", "data"])
@pytest.mark.parametrize(("first", "second"), ORDERED)
def test_units_do_not_share_a_database_or_a_folder(
    made: TwoProjects, tmp_path: Path, first: str, second: str, what: str
) -> None:
    """Whoever comes second is told whose it is; in a demonstration they may."""
    place = {what: str(tmp_path / "shared")}
    own = {"database": str(tmp_path / f"{second}.sqlite"), "data": str(tmp_path / second)}
    assert starts(made, first, unit_config(first, 0) | own | {"database": str(tmp_path / "first.sqlite")} | place)
    with pytest.raises(ClaimedError, match=f"claimed by {UNIT_FOLDERS[first].value}".replace(" ", ".")):
        starts(made, second, unit_config(second, 0) | own | place)
    assert starts(made, second, unit_config(second, 0) | own | place, demonstration=True)


@pytest.mark.parametrize(("first", "second"), ORDERED)
def test_units_do_not_share_a_key(tmp_path: Path, first: str, second: str) -> None:
    """One key for two roles would let its holder speak as either."""
    folder = make(tmp_path)
    project = tmp_path / "alpha.toml"
    keys = {unit: folder.project("alpha").public_key(_address(folder, unit)) for unit in (first, second)}
    text = project.read_text(encoding="utf-8").replace(str(keys[second]), str(keys[first]))
    project.write_text(text, encoding="utf-8")
    shared = unit_config(second, 0)
    pair = {"certificate": f"../pki/alpha-{first}.pem", "key": f"../pki/alpha-{first}.key"}
    shared["projects"] = [{"file": "../alpha.toml", **pair}]
    with pytest.raises(ProjectError, match="has the same one"):
        starts(folder, second, shared)
    assert starts(folder, second, shared, demonstration=True)


def _address(folder: TwoProjects, unit: str) -> Address:
    return next(each.party for each in folder.project("alpha").parties if each.role == UNIT_FOLDERS[unit].value)


@pytest.mark.parametrize(("first", "second"), ORDERED)
def test_a_unit_does_not_take_part_with_the_key_of_another(made: TwoProjects, first: str, second: str) -> None:
    """Not even in a demonstration: the project file says whose it is."""
    config = unit_config(second, 0) | {"database": f"other-{first}.sqlite", "data": f"other-{first}"}
    pair = {"certificate": f"../pki/alpha-{first}.pem", "key": f"../pki/alpha-{first}.key"}
    config["projects"] = [{"file": "../alpha.toml", **pair}]
    for demonstration in (False, True):
        with pytest.raises(ProjectError, match=f"is that of the {UNIT_FOLDERS[first].value}"):
            starts(made, second, config, demonstration=demonstration)


OTHERS = [*(f"alpha-{unit}" for unit in UNIT_FOLDERS), *(f"listening-{unit}" for unit in UNIT_FOLDERS), "beta-north"]


def _listening_with(name: str) -> dict[str, str]:
    return {"certificate": f"../pki/{name}.pem", "key": f"../pki/{name}.key", "authority": "../pki/authority.pem"}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_a_unit_listens_with_the_key_that_its_callers_expect(made: TwoProjects, unit: str, other: str) -> None:
    """Any other is refused, be it another unit's, an owner's or its own in a project."""
    config = unit_config(unit, 0) | {"database": f"listen-{unit}.sqlite", "data": f"listen-{unit}"}
    config["tls"] = _listening_with(other)
    if other == f"listening-{unit}":
        assert starts(made, unit, config)
        return
    with pytest.raises(ClaimedError, match="not the key by which callers know this unit"):
        starts(made, unit, config)
    assert starts(made, unit, config, demonstration=True)


@pytest.mark.parametrize(("first", "second"), ORDERED)
def test_a_unit_does_not_listen_with_the_key_of_another(tmp_path: Path, first: str, second: str) -> None:
    """Nor if the project file says so: two units behind one key are one unit to their callers."""
    folder = make(tmp_path)
    keys = [
        read_certificate(tmp_path / "pki" / f"{name}.pem").public_key
        for name in (f"alpha-{first}", f"listening-{second}")
    ]
    for name in ("alpha", "beta"):
        path = tmp_path / f"{name}.toml"
        path.write_text(path.read_text(encoding="utf-8").replace(keys[1], keys[0]), encoding="utf-8")
    config = unit_config(second, 0) | {"tls": _listening_with(f"alpha-{first}")}
    with pytest.raises((ClaimedError, ProjectError), match=f"{UNIT_FOLDERS[first].value}"):
        starts(folder, second, config)


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_a_key_is_not_used_in_two_projects(tmp_path: Path, unit: str) -> None:
    """A certificate stands for one party in one project."""
    folder = make(tmp_path)
    second = tmp_path / "beta.toml"
    alpha, beta = (str(folder.project(name).public_key(_address(folder, unit))) for name in ("alpha", "beta"))
    second.write_text(second.read_text(encoding="utf-8").replace(beta, alpha), encoding="utf-8")
    config = unit_config(unit, 0)
    pair = {"certificate": f"../pki/alpha-{unit}.pem", "key": f"../pki/alpha-{unit}.key"}
    config["projects"] = [{"file": f"../{name}.toml", **pair} for name in ("alpha", "beta")]
    with pytest.raises(ClaimedError, match="is used in project alpha too"):
        starts(folder, unit, config)


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_a_unit_does_not_start_twice(made: TwoProjects, unit: str) -> None:
    """Two processes on one log would decide against each other, in a demonstration too."""
    config = unit_config(unit, 0) | {"database": f"twice-{unit}.sqlite", "data": "twice"}
    path = made.config(unit)
    path.write_text(document(config), encoding="utf-8")
    loaded = UnitConfig.load(path)
    tried = []

    def second(*_: object) -> None:
        with pytest.raises(ClaimedError, match="another process is at work"):
            serve_unit(UNIT_FOLDERS[unit], loaded, demonstration=False, on_ready=lambda *_: None, logs=io.StringIO())
        tried.append(unit)

    with mock.patch("unveil.runtime.serve.serve", second):
        serve_unit(UNIT_FOLDERS[unit], loaded, demonstration=False, on_ready=lambda *_: None, logs=io.StringIO())
    assert [unit] == tried


def test_a_seed_is_refused_outside_demonstrations(made: TwoProjects) -> None:
    """Whoever knows the seed knows every key_pair, handle and decoy."""
    config = unit_config("record-unit", 0) | {"demonstration": {"seed": 1}}
    with pytest.raises(UnveilError, match="--demonstration"):
        starts(made, "record-unit", config)


def test_readable_keys_are_refused(made: TwoProjects) -> None:
    """A key that everybody on the machine can read is everybody's."""
    issued = pki.issue(made.root / "pki", "open")
    issued.key.chmod(0o644)
    config = unit_config("record-unit", 0)
    config["tls"] = _listening_with("open")
    with pytest.raises(UnveilError, match="everybody on this machine can read it"):
        starts(made, "record-unit", config)
