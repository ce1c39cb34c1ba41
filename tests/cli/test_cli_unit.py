"""`unveil unit`: a configuration that `unveil serve` takes as it is, and whether the unit that serves it answers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args
from unittest.mock import patch

import pytest
from command_line import unveil

from patience import wait_until
from real_project import UNIT_SLUGS, make_project, unit_init
from small_unit import project
from unveil import engines
from unveil.projects.unit_config import EngineChoice, UnitConfig, _UnitFile
from unveil.protocol.roles import Role
from unveil.runtime.assemble import unit_machine
from unveil.storage.database import Database


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that everybody has joined; no unit has a configuration yet."""
    folder = tmp_path_factory.mktemp("project")
    make_project(folder, unveil)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    return Path(shutil.copytree(made, tmp_path / "trial"))


@contextmanager
def serving(config: Path, role: str) -> Iterator[subprocess.Popen[bytes]]:
    """The unit as a process of its own, which listens."""
    ready = config.with_suffix(".ready")
    words = [sys.executable, "-m", "unveil", "serve", role, "--config", str(config), "--ready", str(ready)]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: process.poll() is not None or ready.exists(), "the unit listens")
        assert process.poll() is None
        yield process
    finally:
        process.kill()
        process.wait()


def test_what_is_written_is_complete_private_and_explained(folder: Path) -> None:
    """Nobody should have to look up which settings there are: each stands there, behind a line that explains it."""
    done = unveil(*unit_init(folder, "record-unit"))
    assert (0, "") == (done.returncode, done.stderr.partition("next:")[0])
    path = folder / "record-unit.toml"
    text = path.read_text(encoding="utf-8")
    found = tomllib.loads(text)
    assert set(_UnitFile.model_fields) - {"demonstration"} == set(found)
    assert {"host", "port"} == set(found["listen"])
    assert text.count("\n#") > len(found)
    assert 0o600 == path.stat().st_mode & 0o777
    config = UnitConfig.load(path)
    assert (Role.RECORD_UNIT, "auto", folder / "record-unit-data") == (config.role, config.engine, config.data)


@pytest.mark.parametrize("role", UNIT_SLUGS)
def test_a_unit_serves_with_it_and_says_that_it_answers(folder: Path, role: str) -> None:
    """Two commands from certificates to a unit that listens; the second configuration is no better than the first."""
    assert 0 == unveil(*unit_init(folder, role)).returncode
    config = folder / f"{role}.toml"
    silent = unveil("unit", "health", "--config", config)
    assert (1, True) == (silent.returncode, "cannot be reached" in silent.stderr)
    with serving(config, role):
        done = unveil("unit", "health", "--config", config, "--json")
    assert (0, True) == (done.returncode, json.loads(done.stdout)["answers"])


def test_another_process_on_the_port_is_no_healthy_unit(folder: Path) -> None:
    """Another unit of the same project answers there, with a certificate of the same authority."""
    for role in ("record-unit", "review-unit"):
        assert 0 == unveil(*unit_init(folder, role)).returncode
    record, review = folder / "record-unit.toml", folder / "review-unit.toml"
    port = UnitConfig.load(review).port
    record.write_text(record.read_text().replace(f"port = {UnitConfig.load(record).port}", f"port = {port}"))
    with serving(review, "review-unit"):
        done = unveil("unit", "health", "--config", record)
    assert (1, True) == (done.returncode, "its certificate is not accepted" in done.stderr)


def test_a_configuration_is_never_replaced(folder: Path) -> None:
    """It may have been edited."""
    assert 0 == unveil(*unit_init(folder, "record-unit")).returncode
    before = (folder / "record-unit.toml").read_text(encoding="utf-8")
    done = unveil(*unit_init(folder, "record-unit", "--port", "1"))
    assert (1, True) == (done.returncode, "exists already" in done.stderr)
    assert before == (folder / "record-unit.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (
            lambda folder: (folder / "record-unit.pem").write_bytes((folder / "review-unit.pem").read_bytes()),
            "review unit",
        ),
        (lambda folder: (folder / "record-unit.key").chmod(0o644), "chmod 600"),
        (lambda folder: (folder / "record-unit.key").write_bytes((folder / "review-unit.key").read_bytes()), "belong"),
        (lambda folder: (folder / "authority.pem").write_bytes((folder / "record-unit.pem").read_bytes()), "authority"),
        (lambda folder: (folder / "project.toml").unlink(), "no such file"),
    ],
    ids=["another's certificate", "an open key", "another's key", "no authority", "no project"],
)
def test_what_serve_would_refuse_is_told_before_anything_is_written(folder: Path, break_it: object, told: str) -> None:
    """A file that is there should be one that works."""
    break_it(folder)  # type: ignore[operator]
    done = unveil(*unit_init(folder, "record-unit"))
    assert (1, True) == (done.returncode, told in done.stderr), done.stderr
    assert [] == [path.name for path in folder.iterdir() if "record-unit.toml" in path.name]


def test_another_unit_refuses_it(folder: Path) -> None:
    """Two units on one machine have files that look alike."""
    assert 0 == unveil(*unit_init(folder, "record-unit")).returncode
    done = unveil("serve", "review-unit", "--config", folder / "record-unit.toml")
    assert 1 == done.returncode
    assert "role: this is the configuration of the record unit, not of the review unit" in done.stderr


def test_the_engines_that_can_be_chosen_are_those_that_there_are() -> None:
    """Configurations lie below engines, so the names are written down twice."""
    assert engines.NAMES == get_args(EngineChoice)


def test_the_record_unit_compares_with_the_engine_that_its_configuration_names(tmp_path: Path) -> None:
    """One that this machine does not have is an error, never replaced in silence."""
    with Database.open(tmp_path / "log.sqlite", role="record unit") as database:
        log = database.project("p")
        with patch("unveil.engines.choose", wraps=engines.choose) as chosen:
            unit_machine(Role.RECORD_UNIT, project(), log, data=tmp_path, seed=1, engine="reference")()
    assert ["reference"] == [call.args[0] for call in chosen.call_args_list]
