"""Wheel and source distribution: whole, the same bytes each time, and at work outside the repository."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tools.packaging import distributions
from tools.packaging.distributions import FIXED_TIME, ROOT, build, source_time

WHEN = 1_700_000_000
#: What commands read beside their code: without one of them something breaks that is not seen at once.
NEEDED = (
    "py.typed", "__init__.pyi", "web/templates/review.html", "web/console/templates/base.html", "web/static/style.css",
    "web/console/static/console.js", "web/sentences/en.toml", "web/sentences/de.toml", "models/priors/record.json",
    "schema/built_in/person.toml", "schema/built_in/clinic.toml", "charts/style.css", "lab/synthetic/data/surnames.tsv",
)  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A wheel and a source distribution of this tree."""
    return build(tmp_path_factory.mktemp("dist"), when=WHEN)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that are built from, in another folder, written by somebody with other habits."""
    folder = tmp_path_factory.mktemp("another place") / "tree"
    folder.mkdir()
    for name in ("src", "deploy", "requirements"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Containerfile", ".gitignore"):
        shutil.copyfile(ROOT / name, folder / name)
    for path in folder.rglob("*"):
        path.chmod(0o700 if path.is_dir() or os.access(path, os.X_OK) else 0o600)
        os.utime(path, (1, 1))
    return folder


def test_two_builds_are_the_same_bytes(
    built: tuple[Path, Path], elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever builds from the same source can see that nothing was put into what was published."""
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    before = os.umask(0o077)
    try:
        again = build(tmp_path, root=elsewhere, when=WHEN)
    finally:
        os.umask(before)
    assert [path.name for path in built] == [path.name for path in again]
    assert [path.read_bytes() for path in built] == [path.read_bytes() for path in again]


def test_another_source_or_another_time_gives_other_bytes(
    built: tuple[Path, Path], elsewhere: Path, tmp_path: Path
) -> None:
    """Else the comparison above would prove nothing."""
    assert built[0].read_bytes() != build(tmp_path / "later", when=WHEN + 2)[0].read_bytes()
    changed = elsewhere / "src" / "unveil" / "records.py"
    text = changed.read_text(encoding="utf-8")
    try:
        changed.write_text(text + "\n", encoding="utf-8")
        assert built[0].read_bytes() != build(tmp_path / "other", root=elsewhere, when=WHEN)[0].read_bytes()
    finally:
        changed.write_text(text, encoding="utf-8")


def test_a_wheel_of_the_source_distribution_is_the_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    """So nothing that a wheel is made of is missing in it."""
    wheel, source = built
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    assert wheel.read_bytes() == build(tmp_path / "dist", root=tree, when=WHEN)[0].read_bytes()


def test_the_wheel_holds_the_package_as_a_whole_and_nothing_else(built: tuple[Path, Path]) -> None:
    """No tests, no tools, no documentation; and every file that a command reads."""
    with zipfile.ZipFile(built[0]) as archive:
        names = set(archive.namelist())
        info = {name for name in names if ".dist-info/" in name}
        assert {(1980, 1) <= each.date_time[:2] < (2024, 1) for each in archive.infolist()} == {True}
    words = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "src/unveil"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    assert {name.removeprefix("src/") for name in listed if (ROOT / name).exists()} == names - info
    assert {f"unveil/{name}" for name in NEEDED} <= names
    assert {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "LICENSE"} == {name.rsplit("/", 1)[-1] for name in info}


def test_the_source_distribution_holds_what_is_built_and_run_and_no_more(built: tuple[Path, Path]) -> None:
    """Tests and tools are for whoever has the repository."""
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    expected = {"src", "deploy", "requirements", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"}
    expected |= {"Containerfile"}
    assert expected | {"PKG-INFO", ".gitignore"} == {name.split("/")[0] for name in names}
    assert {"requirements/run.txt", "requirements/unit.txt"} <= names


def test_the_wheel_says_what_it_needs_and_for_which_python(built: tuple[Path, Path]) -> None:
    """An installer goes by that, and by nothing else."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with zipfile.ZipFile(built[0]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        said = email.message_from_bytes(archive.read(name))
    assert (project["version"], ">=3.11", "Apache-2.0") == (
        said["Version"], said["Requires-Python"], said["License-Expression"],
    )  # fmt: skip
    plain = [line for line in said.get_all("Requires-Dist", []) if "extra ==" not in line]
    names = {re.split(r"[<>=]", line)[0] for line in project["dependencies"]}
    assert (names, len(names)) == ({re.split(r"[<>=]", line)[0] for line in plain}, len(plain))
    assert {"duckdb", "gpu", "passkeys", "postgres", "spark"} == set(said.get_all("Provides-Extra", []))


def test_the_time_in_the_archives_follows_a_rule(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Told, or of the latest commit, or fixed: never that of the day on which it is built."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1234567890")
    assert 1_234_567_890 == source_time()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert FIXED_TIME == source_time(tmp_path)
    words = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    assert int(subprocess.run(words, capture_output=True, check=True).stdout) == distributions.source_time(ROOT)


def test_the_wheel_links_people_outside_the_repository(built: tuple[Path, Path], tmp_path: Path) -> None:
    """
    With what is in it and nothing of the tree; `make package` does more of it, in a bare environment on every Python.

    The libraries are those of this environment, for to install them takes a minute.
    """
    with zipfile.ZipFile(built[0]) as archive:
        archive.extractall(tmp_path / "wheel")  # noqa: S202 - we made it
    told = {**os.environ, "PYTHONPATH": str(tmp_path / "wheel")}
    told.pop("COVERAGE_PROCESS_START", None)

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", *words], cwd=tmp_path, env=told, capture_output=True, text=True, check=False
        )
        assert 0 == done.returncode, done.stderr
        return done.stdout

    assert str(tmp_path / "wheel") in run("-c", "import unveil; print(unveil.__file__)")
    run("-m", "unveil", "demo", "--out", "demo", "--records", "200")
    run("-m", "unveil", "generate", "--out", "people", "--records", "200")
    run("-m", "unveil", "link", "people/a.csv", "people/b.csv", "--out", "links.csv")
    assert "</html>" in (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "links.csv").read_text(encoding="utf-8").count("\n") > 20
