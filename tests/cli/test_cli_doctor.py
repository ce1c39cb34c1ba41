"""`unveil doctor`: whatever can be wrong with a set-up is named together with its cure, and nothing secret is told."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import unveil

from odd_certificates import DAY, reissue
from patience import wait_until
from real_project import UNIT_SLUGS, make_project, unit_init
from unveil.files import key_file
from unveil.lab.synthetic import generate, write
from unveil.projects.unit_config import UnitConfig
from unveil.runtime.doctor import machine, places
from unveil.runtime.doctor.diagnosis import Condition
from unveil.storage.database import Database

HOSTS = ("127.0.0.1",)
Break = Callable[[Path], object]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, the configurations of three units, and the folder of an owner; nothing is wrong with any of them."""
    folder = tmp_path_factory.mktemp("project")
    make_project(folder, unveil)
    for role in UNIT_SLUGS:
        assert 0 == unveil(*unit_init(folder, role)).returncode
    write(generate(records=30, overlap=0.2, errors=1, seed=1), folder)
    key_file.new(folder / "project.key")
    (folder / "policy.toml").write_text("", encoding="utf-8")
    files = [("project", "project.toml"), ("data", "a.csv"), ("key", "project.key"), ("certificate", "hospital-a.pem")]
    files += [("tls-key", "hospital-a.key"), ("authority", "authority.pem"), ("policy", "policy.toml")]
    options = [word for option, name in files for word in (f"--{option}", str(folder / name))]
    done = unveil("owner", "init", folder / "a", "--name", "hospital-a", *options)
    assert 0 == done.returncode, done.stderr
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    return Path(shutil.copytree(made, tmp_path / "trial"))


@contextmanager
def serving(folder: Path, *roles: str) -> Iterator[None]:
    """These units as processes, which listen."""
    with ExitStack() as stack:
        for role in roles:
            config, ready = folder / f"{role}.toml", folder / f"{role}.ready"
            words = [sys.executable, "-m", "unveil", "serve", role, "--config", str(config), "--ready", str(ready)]
            process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        wait_until(lambda: all((folder / f"{role}.ready").exists() for role in roles), "the units listen")
        yield


def looked_at(path: Path, *more: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit status, and everything that is not fine."""
    done = unveil("doctor", path, "--json", *more)
    found = json.loads(done.stdout)
    wrong = [each for each in found["checks"] if each["condition"] == "wrong"]
    assert len(wrong) == found["wrong"]
    assert bool(wrong) == bool(done.returncode)
    assert all(each["cure"] for each in wrong)
    return done.returncode, wrong


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def other_authority(folder: Path) -> None:
    assert 0 == unveil("pki", "new", folder / "other").returncode
    shutil.copy(folder / "other" / "authority.pem", folder / "authority.pem")


def other_role(folder: Path) -> None:
    with Database.open(folder / "record-unit.sqlite", role="review unit") as database:
        database.project("trial")


def open_folder(folder: Path) -> None:
    (folder / "record-unit-data").mkdir()
    (folder / "record-unit-data").chmod(0o777)


def open_database(folder: Path) -> None:
    Database.open(folder / "record-unit.sqlite", role="record unit").close()
    (folder / "record-unit.sqlite").chmod(0o644)


def without_a_party(folder: Path) -> None:
    text = (folder / "project.toml").read_text(encoding="utf-8")
    before, _, after = text.partition("[[parties]]")
    (folder / "project.toml").write_text(before + "[[parties]]" + after.partition("[[parties]]")[2], encoding="utf-8")


UNIT_BROKEN: dict[str, tuple[Break, str, str]] = {
    "a key that is no key": (lambda f: changed(f / "record-unit.toml", "engine", "egine"), "configuration", "engine"),
    "a file that is gone": (lambda f: (f / "project.toml").unlink(), "configuration", "no such file"),
    "a party that is missing": (without_a_party, "project", "owner"),
    "another unit's": (
        lambda f: changed(f / "record-unit.toml", '"record-unit"', '"review-unit"'),
        "project",
        "review",
    ),
    "an open private key": (lambda f: (f / "record-unit.key").chmod(0o644), "configuration", "everybody"),
    "an ended certificate": (lambda f: reissue(f, "record-unit", hosts=HOSTS, ends=-DAY), "certificate", "ended at"),
    "one that is to begin": (lambda f: reissue(f, "record-unit", hosts=HOSTS, begins=DAY), "certificate", "begins at"),
    "another host's": (lambda f: reissue(f, "record-unit", hosts=["localhost"]), "project", "is for localhost"),
    "another authority": (other_authority, "certificate", "did not sign"),
    "another key": (lambda f: shutil.copy(f / "review-unit.key", f / "record-unit.key"), "certificate", "not belong"),
    "another's database": (other_role, "database", "belongs to the review unit"),
    "a file that is no database": (lambda f: (f / "record-unit.sqlite").touch(mode=0o600), "", ""),
    "an open database": (open_database, "database", "others on this machine can read it"),
    "an open folder": (open_folder, "data folder", "others on this machine can put files"),
    "a data folder that is a file": (lambda f: (f / "record-unit-data").touch(), "configuration", "not a folder"),
    "no such address": (
        lambda f: changed(f / "record-unit.toml", '"127.0.0.1"', '"192.0.2.1"'),
        "address",
        "192.0.2.1",
    ),
}


def test_a_unit_that_would_start_has_nothing_wrong(folder: Path) -> None:
    """Whoever is told of trouble that is none will not listen the next time."""
    assert (0, []) == looked_at(folder / "record-unit.toml")
    said = unveil("doctor", folder / "record-unit.toml")
    assert (0, "nothing is wrong\n") == (said.returncode, said.stderr)
    for check in ("python", "clock", "disk", "certificate", "database", "address", "project"):
        assert f" {check}: " in said.stdout, check
    assert not (folder / "record-unit.sqlite").exists(), "to look at something changes nothing"


@pytest.mark.parametrize("name", UNIT_BROKEN)
def test_whatever_is_wrong_with_a_unit_is_named(folder: Path, name: str) -> None:
    """Each of these keeps it from its work, or opens it to others."""
    break_it, check, told = UNIT_BROKEN[name]
    break_it(folder)
    code, found = looked_at(folder / "record-unit.toml")
    if not check:  # an empty file is a database in which nothing is yet
        assert (0, []) == (code, found)
        return
    assert 1 == code
    assert any(each["check"] == check and told in each["what"] for each in found), found


def test_a_port_that_is_taken_is_wrong_and_one_that_the_unit_itself_holds_is_fine(folder: Path) -> None:
    """It is asked before a start as well as beside a unit at work."""
    config = folder / "record-unit.toml"
    with socket.create_server(("127.0.0.1", UnitConfig.load(config).port)):
        code, found = looked_at(config)
    assert (1, ["address"]) == (code, [each["check"] for each in found])
    with serving(folder, "record-unit"):
        said = unveil("doctor", config)
    assert (0, True) == (said.returncode, "the unit is at work and answers" in said.stdout)


def test_units_that_are_called_answer_or_are_named(folder: Path) -> None:
    """A firewall shows here first."""
    config, owner = folder / "attribute-unit.toml", folder / "a"
    with serving(folder, "record-unit", "review-unit"):
        assert (0, []) == looked_at(config, "--call")
        code, found = looked_at(owner, "--call")
    assert (1, ["attribute unit"]) == (code, [each["check"] for each in found])
    assert "cannot be reached" in found[0]["what"]


def test_a_password_in_the_address_of_a_database_is_never_told(folder: Path) -> None:
    """What is wrong is told by mail and telephone, and pasted into tickets."""
    config = folder / "record-unit.toml"
    url = 'database = "postgresql://unveil:swordfish@127.0.0.1:1/records"'
    changed(config, 'database = "record-unit.sqlite"', url)
    config.chmod(0o644)
    said = unveil("doctor", config)
    assert 1 == said.returncode
    assert "swordfish" not in said.stdout + said.stderr
    assert "wrong  database: " in said.stdout
    assert f"wrong  configuration: {config}: others on this machine can read it" in said.stdout


OWNER_BROKEN: dict[str, tuple[Break, str, str]] = {
    "an open key": (lambda f: (f / "project.key").chmod(0o644), "key", "can read it"),
    "a key that is none": (lambda f: (f / "project.key").write_text("x"), "key", "project.key"),
    "no data": (lambda f: changed(f / "a" / "unveil.toml", "../a.csv", "../gone.csv"), "configuration", "no such file"),
    "a policy that is mistaken": (lambda f: (f / "policy.toml").write_text("[cap]\n"), "policy", "cap"),
    "an open folder": (lambda f: (f / "a").chmod(0o777), "folder", "can put files"),
    "an ended certificate": (lambda f: reissue(f, "hospital-a", ends=-DAY), "certificate", "ended at"),
    "a stranger": (
        lambda f: changed(f / "a" / "unveil.toml", '"hospital-a"', '"hospital-c"'),
        "project",
        "not an owner",
    ),
}


def test_an_owner_with_whom_all_is_well_has_nothing_wrong(folder: Path) -> None:
    """The folder and the file in it mean the same."""
    assert (0, []) == looked_at(folder / "a")
    assert (0, []) == looked_at(folder / "a" / "unveil.toml")


@pytest.mark.parametrize("name", OWNER_BROKEN)
def test_whatever_is_wrong_with_an_owner_is_named(folder: Path, name: str) -> None:
    """Before a data manager waits for another hospital."""
    break_it, check, told = OWNER_BROKEN[name]
    break_it(folder)
    code, found = looked_at(folder / "a")
    assert 1 == code
    assert any(each["check"] == check and told in each["what"] for each in found), found


def test_a_project_file_that_waits_for_parties_is_told_of_and_is_not_wrong(folder: Path) -> None:
    """It is how every project begins."""
    without_a_party(folder)
    assert (0, []) == looked_at(folder / "project.toml")
    assert "have not joined yet: " in unveil("doctor", folder / "project.toml").stdout


@pytest.mark.parametrize(
    ("text", "told"), [("x = 1\n", "neither"), ("[[attributes]]\n", "is a schema"), ("x =", "TOML")]
)
def test_a_file_of_another_kind_is_named_as_one(tmp_path: Path, text: str, told: str) -> None:
    """With what makes the right one."""
    (tmp_path / "some.toml").write_text(text, encoding="utf-8")
    code, found = looked_at(tmp_path / "some.toml")
    assert (1, True) == (code, told in found[0]["what"])
    assert 1 == looked_at(tmp_path / "nothing")[0]


def test_the_machine_is_judged_by_what_it_has() -> None:
    """Figures that this machine does not have are given, so that each way to be judged is taken."""
    assert Condition.WRONG is machine.python_version((3, 10, 1)).condition
    assert Condition.NOTE is machine.python_version((3, 99, 0)).condition
    assert Condition.FINE is machine.python_version((3, 12, 1)).condition
    (lacking,) = machine.libraries(["no-such-library>=1", "numpy>=2", 'other>1; extra == "gpu"'])
    assert (Condition.WRONG, "missing: no-such-library") == (lacking.condition, lacking.what)
    assert [Condition.WRONG] == [each.condition for each in machine.clock(0.0)]
    assert [Condition.NOTE] == [each.condition for each in machine.clock(4e9, synchronised=False)]
    assert [Condition.FINE] == [each.condition for each in machine.clock(4e9, synchronised=True)]


@pytest.mark.parametrize(
    ("free", "condition"), [(1 << 20, Condition.WRONG), (1 << 30, Condition.NOTE), (1 << 40, Condition.FINE)]
)
def test_a_disk_is_judged_by_the_room_that_is_left(tmp_path: Path, free: int, condition: Condition) -> None:
    """A party that cannot write acknowledges nothing."""
    assert condition is places.disk(tmp_path / "not" / "there", free=free).condition


def test_code_that_is_kept_nowhere_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """It works, and takes seconds at every start."""
    monkeypatch.setattr(machine, "compiled_folder", lambda: None)
    found = machine.compiled_code()
    assert (Condition.NOTE, True) == (found.condition, "NUMBA_CACHE_DIR" in str(found.cure))
