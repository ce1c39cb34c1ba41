"""The systemd units and the workflow for others' machines: taken by the programs that read them, and closed up."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tools.packaging.bare import SUPPORTED
from tools.packaging.distributions import ROOT
from unveil.protocol.roles import UNITS

SYSTEMD = ROOT / "deploy" / "systemd"
SERVICE = SYSTEMD / "unveil@.service"
WORKFLOW = ROOT / "deploy" / "workflow" / "ci.yml"
#: What `systemd-analyze security` may find at most, of 10: below 2 it says "ok".
MOST_EXPOSED = 2.0
CLOSED = {
    "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "PrivateDevices": "yes",
    "NoNewPrivileges": "yes", "CapabilityBoundingSet": "", "RestrictNamespaces": "yes", "UMask": "0077",
    "StateDirectoryMode": "0700", "CacheDirectoryMode": "0700", "LimitCORE": "0",
}  # fmt: skip
ANALYZE = shutil.which("systemd-analyze") or ""
analyze = pytest.mark.skipif(not ANALYZE, reason="systemd is not on this machine")


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    """The service of the record unit, whose program is one that is on this machine."""
    path = tmp_path / "unveil@record-unit.service"
    text = SERVICE.read_text(encoding="utf-8")
    path.write_text(text.replace("/opt/unveil/bin/unveil", "/bin/true"), encoding="utf-8")
    return path


def settings() -> dict[str, str]:
    parser = RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(SERVICE, encoding="utf-8")
    return dict(parser["Service"])


@analyze
def test_systemd_takes_the_service(instance: Path) -> None:
    """A word that it does not know would be left out in silence at the start."""
    found = subprocess.run([ANALYZE, "verify", instance], capture_output=True, text=True, check=False)
    assert (0, "") == (found.returncode, found.stderr)
    text = instance.read_text(encoding="utf-8")
    instance.write_text(text.replace("ProtectHome=", "ProtectHouse="), encoding="utf-8")
    found = subprocess.run([ANALYZE, "verify", instance], capture_output=True, text=True, check=False)
    assert "ProtectHouse" in found.stderr


@analyze
def test_systemd_finds_little_that_the_service_could_do_to_the_machine(instance: Path) -> None:
    """By its own list, without the machine's own settings."""
    words: list[str | Path] = [ANALYZE, "security", "--offline=true", "--no-pager", instance]
    found = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    exposure = re.search(r"Overall exposure level for .*: ([\d.]+)", found)
    assert exposure is not None, found
    assert float(exposure[1]) < MOST_EXPOSED


def test_the_service_is_closed_where_systemd_is_not_there_to_say_so() -> None:
    """What it keeps from the machine, and from the other units."""
    found = settings()
    assert CLOSED == {name: found[name] for name in CLOSED}
    assert "unveil-%i" == found["User"] == found["Group"]
    assert found["ExecStart"].endswith("unveil serve %i --config /etc/unveil/%i/unit.toml")
    assert "NUMBA_CACHE_DIR=%C/unveil/%i" in found["Environment"]


def test_every_unit_has_a_user_of_its_own() -> None:
    """Or one could read the files of another."""
    text = (SYSTEMD / "unveil.sysusers").read_text(encoding="utf-8")
    assert [f"unveil-{role.slug}" for role in UNITS] == re.findall(r"^u (\S+)\s+- ", text, re.MULTILINE)


def test_the_workflow_is_one_and_does_what_ci_does() -> None:
    """By the schema of those who read it: lint and tests by the one script, the wheel on every Python."""
    checker = Path(sys.executable).parent / "check-jsonschema"
    words: list[str | Path] = [checker, "--builtin-schema", "vendor.github-workflows", WORKFLOW]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    assert 0 == found.returncode, found.stdout
    jobs = YAML(typ="safe").load(WORKFLOW)["jobs"]
    assert [".ci/run"] == [step["run"] for step in jobs["checks"]["steps"] if "run" in step]
    assert [f"{major}.{minor}" for major, minor in SUPPORTED] == jobs["package"]["strategy"]["matrix"]["python"]
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    ran = [step["run"] for step in jobs["package"]["steps"] if "run" in step]
    assert {word for line in ran for word in line.split()[1:]} <= targets
    assert not re.search(r"https?://|index", WORKFLOW.read_text(encoding="utf-8"))
