"""
The image and the compose file: what they say is held here, and done as far as it can be without a container.

`make image` builds the image, or runs the Containerfile's steps in a clean root; so does the last test here if
UNVEIL_IMAGE is set, for that fetches and installs every requirement.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from patience import wait_until
from postgres import PostgresServer
from real_project import UNIT_SLUGS, make_project, pem
from tools.packaging import bare, containerfile, image
from tools.packaging.distributions import ROOT
from unveil.cli.app import app
from unveil.cli.commands import register

TEXT = containerfile.CONTAINERFILE.read_text(encoding="utf-8")
BUILT, FINAL = containerfile.stages(TEXT)
COMPOSE = ROOT / "deploy" / "compose"
FILE: dict[str, Any] = YAML(typ="safe").load(COMPOSE / "compose.yaml")
UNITS: dict[str, Any] = {name: FILE["services"][name] for name in UNIT_SLUGS}
register()
ADDRESS = re.compile(r"https?://|--(extra-)?index-url|--find-links|[a-z0-9-]+\.(io|com|org|net)\b")


def done(*words: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def test_the_image_runs_as_somebody_without_rights() -> None:
    """By number, so that an engine can see that it is not root."""
    user = FINAL.last("USER")
    assert user is not None
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    after = [word for word, _ in FINAL.steps][[word for word, _ in FINAL.steps].index("USER") :]
    assert not {"RUN", "COPY"} & set(after)


def test_the_image_writes_to_its_volume_alone() -> None:
    """Its root file system can be read-only: code that was compiled, and a home, are in the volume."""
    volume = FINAL.last("VOLUME")
    assert volume is not None
    assert FINAL.environment()["NUMBA_CACHE_DIR"].startswith(f"{volume}/")
    assert f"install -d -m 700 -o 10001 -g 10001 {volume}" in TEXT
    assert f"--home-dir {volume}" in TEXT


def test_nothing_that_builds_is_in_the_image_and_everything_has_a_hash() -> None:
    """The last stage takes one folder from the first, and installs nothing."""
    copied = [rest for word, rest in FINAL.steps if word == "COPY"]
    assert ["--from=build /opt/unveil /opt/unveil"] == copied
    installed = [rest for _, rest in BUILT.steps if " install " in rest]
    assert ["--require-hashes", "--no-index"] == [
        next(word for word in rest.split() if word in {"--require-hashes", "--no-index"}) for rest in installed
    ]
    assert not any("pip" in rest for word, rest in FINAL.steps if word == "RUN")


@pytest.mark.parametrize("path", [containerfile.CONTAINERFILE, COMPOSE / "compose.yaml"], ids=lambda path: path.name)
def test_no_index_and_no_registry_has_an_address_in_it(path: Path) -> None:
    """Where things come from is the affair of whoever builds: many do so from a mirror of their own."""
    assert not ADDRESS.search(path.read_text(encoding="utf-8"))


def test_what_builds_an_image_is_sent_two_files() -> None:
    """Keys and records that lie beside them are none of its business."""
    for name in (".containerignore", ".dockerignore"):
        lines = [line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        assert ["*", "!requirements/unit.txt", "!dist/unveil-*.whl"] == lines
    sources = {rest.split()[0] for word, rest in BUILT.steps if word == "COPY"}
    assert {"requirements/unit.txt", "dist/unveil-*.whl"} == sources


def test_health_is_asked_by_a_command_that_there_is() -> None:
    """Image and compose file ask alike."""
    said = FINAL.last("HEALTHCHECK")
    assert said is not None
    asked = json.loads(said.partition("CMD ")[2])
    assert ["unveil", "unit", "health", "--config", "/etc/unveil/unit.toml"] == asked
    assert [["CMD", *asked]] * 3 == [unit["healthcheck"]["test"] for unit in UNITS.values()]


def test_the_steps_make_a_script_that_a_shell_takes(tmp_path: Path) -> None:
    """It is run as a whole by `make image` where nothing builds images."""
    path = tmp_path / "steps.sh"
    path.write_text(containerfile.script(TEXT, tmp_path), encoding="utf-8")
    checked = done("sh", "-n", path)
    assert (0, "") == (checked.returncode, checked.stderr)
    text = path.read_text(encoding="utf-8")
    for word, rest in (*BUILT.steps, *FINAL.steps):
        assert word != "RUN" or rest.split(" && ")[0] in text
    assert text.count("--userspec=10001:10001") > len(bare.JOURNEY)


def test_what_is_not_understood_is_refused() -> None:
    """A step that is left out in silence would be tried nowhere."""
    with pytest.raises(ValueError, match="ADD: not understood"):
        containerfile.stages("FROM x\nADD a b\n")


def test_the_compose_file_is_one_by_the_specification(tmp_path: Path) -> None:
    """By the schema of those who wrote it; a word that it does not have is noticed."""
    checker: list[str | Path] = [
        Path(sys.executable).parent / "check-jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
    ]
    found = done(*checker, COMPOSE / "compose.yaml")
    assert 0 == found.returncode, found.stdout
    broken = tmp_path / "compose.yaml"
    text = (COMPOSE / "compose.yaml").read_text(encoding="utf-8")
    broken.write_text(text.replace("read_only: true", "readonly: true"), encoding="utf-8")
    assert 1 == done(*checker, broken).returncode


def test_whatever_the_compose_file_names_is_in_it() -> None:
    """What the schema does not see: volumes, networks, secrets, and the services that others wait for."""
    for name, service in FILE["services"].items():
        assert set(service["networks"]) <= set(FILE["networks"]), name
        assert set(service.get("secrets", ())) <= set(FILE["secrets"])
        assert set(service.get("depends_on", ())) <= set(FILE["services"])
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in FILE["volumes"] or source.startswith("./"), volume
        assert service["healthcheck"]["test"]
        assert "unless-stopped" == service["restart"]


@pytest.mark.parametrize("name", UNIT_SLUGS)
def test_a_unit_in_a_container_can_do_nothing_but_its_work(name: str) -> None:
    """And has nothing in common with another one: no folder, no volume, no port."""
    unit = UNITS[name]
    assert (True, ["ALL"], FINAL.last("USER")) == (unit["read_only"], unit["cap_drop"], unit["user"])
    assert ["no-new-privileges:true"] == unit["security_opt"]
    assert [f"./{name}:/etc/unveil:ro", f"{name}:{FINAL.last('VOLUME')}"] == unit["volumes"]
    assert "privileged" not in unit
    assert ["serve", name, "--config", "/etc/unveil/unit.toml"] == unit["command"]
    ports = [each["ports"] for each in UNITS.values()]
    assert len(ports) == len({*map(str, ports)})
    assert "database" not in FILE["services"]["database"].get("ports", ())
    assert FILE["networks"]["databases"]["internal"]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the compose file after its script."""
    folder = Path(shutil.copytree(COMPOSE, tmp_path_factory.mktemp("compose") / "compose"))
    assert 0 == done("sh", folder / "prepare.sh").returncode
    return folder


def test_passwords_are_made_once_and_closed_to_others(prepared: Path) -> None:
    """Each unit has one that no other unit has, in a file that PostgreSQL's library accepts."""
    lines = {}
    for name in UNIT_SLUGS:
        path = prepared / name / "pgpass"
        assert (0o600, 0o700) == tuple(stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent))
        host, _, database, user, lines[name] = path.read_text(encoding="utf-8").strip().split(":")
        assert ("database", name.replace("-", "_"), name.replace("-", "_")) == (host, database, user)
        assert lines[name] == (prepared / "secrets" / user).read_text(encoding="utf-8")
        assert len(lines[name]) == 48
    assert len(UNIT_SLUGS) == len(set(lines.values()))
    assert 0o700 == stat.S_IMODE((prepared / "secrets").stat().st_mode)
    assert 0 == done("sh", prepared / "prepare.sh").returncode
    for name in UNIT_SLUGS:
        assert lines[name] in (prepared / name / "pgpass").read_text(encoding="utf-8")


@pytest.fixture
def databases(prepared: Path, postgres_server: PostgresServer) -> Iterator[dict[str, str]]:
    """What the script of the compose file makes of a new server: the URL of each unit's database, as its user."""
    psql = shutil.which("psql")
    if psql is None:
        pytest.skip("no psql is here; the image of PostgreSQL has one")
    told = {**os.environ, "SECRETS": str(prepared / "secrets"), "PGHOST": str(postgres_server.folder)}
    made = done("sh", prepared / "databases.sh", env=told)
    assert 0 == made.returncode, made.stderr
    users = [name.replace("-", "_") for name in UNIT_SLUGS]
    yield {
        name: postgres_server.url(user).replace("postgres@", f"{user}@")
        for name, user in zip(UNIT_SLUGS, users, strict=True)
    }
    for user in users:
        postgres_server.administer(f"DROP DATABASE {user} WITH (FORCE)")
        postgres_server.administer(f"DROP ROLE {user}")


def test_no_unit_can_open_the_database_of_another(databases: dict[str, str]) -> None:
    """Nor make one; the review unit's holds what the record unit must never see."""
    for name, url in databases.items():
        with psycopg.connect(url) as connection:
            found = connection.execute("SELECT current_user, rolsuper, rolcreatedb FROM pg_roles WHERE rolname = user")
            assert (name.replace("-", "_"), False, False) == found.fetchone()
        for other in set(databases) - {name}:
            mine, theirs = name.replace("-", "_"), other.replace("-", "_")
            with pytest.raises(psycopg.OperationalError, match="permission denied"):
                psycopg.connect(databases[other].replace(f"{theirs}@", f"{mine}@"))


def test_three_units_start_as_the_compose_file_says_and_are_healthy(databases: dict[str, str], tmp_path: Path) -> None:
    """Its commands, as processes: each unit on its database, and the question of its health check answered with yes."""

    def unveil(*words: str) -> subprocess.CompletedProcess[str]:
        return done(sys.executable, "-m", "unveil", *words)

    pki_folder = tmp_path / "trial"
    ports = make_project(pki_folder, in_this_process)
    with ExitStack() as stack:
        for name, unit in UNITS.items():
            config, ready = tmp_path / name / "unit.toml", tmp_path / name / "ready"
            config.parent.mkdir()
            words = ("unit", "init", name, "--config", str(config), "--project", str(pki_folder / "project.toml"))
            files = ("--certificate", pem(pki_folder, name), "--tls-key", str(pki_folder / f"{name}.key"))
            more = ("--authority", str(pki_folder / "authority.pem"), "--database", databases[name])
            assert 0 == in_this_process(*words, *files, *more).returncode
            command = [word.replace("/etc/unveil", str(config.parent)) for word in unit["command"]]
            process = subprocess.Popen(
                [sys.executable, "-m", "unveil", *command, "--ready", str(ready)], stderr=subprocess.DEVNULL
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
        wait_until(lambda: all((tmp_path / name / "ready").exists() for name in UNITS), "the units listen")
        for name, unit in UNITS.items():
            _, program, *asked = unit["healthcheck"]["test"]
            assert "unveil" == program
            answer = unveil(*(word.replace("/etc/unveil", str(tmp_path / name)) for word in asked))
            assert (0, True) == (answer.returncode, f":{ports[name]} answers" in answer.stdout), answer.stderr


def in_this_process(*words: str) -> Any:
    """A command line without the time that a process takes."""
    result = CliRunner().invoke(app, list(words))
    return subprocess.CompletedProcess(words, result.exit_code, result.stdout, str(result.exception))


@pytest.mark.skipif("UNVEIL_IMAGE" not in os.environ, reason="fetches every requirement: UNVEIL_IMAGE=1, or make image")
def test_every_step_of_the_image_works_in_a_clean_root() -> None:
    """With a root that is read-only in the end, as somebody without rights."""
    reason = image.why_no_clean_root()
    if reason is not None:
        pytest.skip(reason)
    said: list[str] = []
    image.run_steps(said.append)
    assert "ran in a clean root" in said[-1]
