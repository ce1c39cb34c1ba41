from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "unveil"
#: Rooms without IO, clock and global randomness.
PURE = ("protocol", "encoding", "forms", "linkage", "models", "screening", "roles", "privacy")
IMPURE_MODULES = frozenset({
    "asyncio", "datetime", "fileinput", "glob", "http", "importlib", "io", "logging", "multiprocessing", "os",
    "pathlib", "random", "secrets", "select", "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "sys",
    "tempfile", "threading", "time", "urllib", "uuid",
})  # fmt: skip
#: (file, module) that is allowed all the same: a fresh key is drawn from the operating system unless told otherwise,
#: and the shipped priors are read from the package, as constants would be.
ALLOWED = {("encoding/keys.py", "secrets"), ("models/priors/__init__.py", "importlib")}
IMPURE_CALLS = frozenset({"open", "print", "input", "eval", "exec", "breakpoint", "__import__"})
#: All of numpy.random that does not touch the hidden global generator.
SEEDED = frozenset({"Generator", "default_rng", "SeedSequence", "PCG64", "BitGenerator"})

#: One import for each contract that would break it, as (file, line).
BREACHES = {
    "rooms import what lies below them": ("linkage/bits.py", "import unveil.roles.chance"),
    "rooms of the lab import what lies below them": ("lab/synthetic/rare.py", "import unveil.lab.simulation.world"),
    "roles do not know each other": ("roles/attribute_unit/answers.py", "import unveil.roles.record_unit.machine"),
    "units hold neither keys nor records": ("roles/record_unit/machine.py", "import unveil.encoding.keys"),
    "no role touches a file": ("roles/owner/ledger.py", "import unveil.files.write"),
    "what compares and decides sees no record": ("linkage/pairs.py", "import unveil.records"),
    "transport carries messages and opens none": ("transport/memory.py", "import unveil.linkage.pairs"),
    "whoever stores or agrees knows no key schedule and no role": ("storage/tokens.py", "import unveil.encoding.keys"),
}
#: Imports that the floor plan alone must notice: from the field into the lab, and a room that stands nowhere on it.
BEYOND = (
    ("runtime/host.py", "import unveil.lab.simulation.world"),
    ("roles/record_unit/machine.py", "import unveil.models.threshold"),
    ("storage/tokens.py", "import unveil.roles.chance"),
    ("protocol/codec.py", "import unveil.schema"),
    ("projects/project.py", "import unveil.transport.port"),
    ("runtime/claim.py", "import unveil.cli.app"),
)

#: Folders of tests about more than one room, or about none: failures, attacks, tools, expected values.
BESIDE_ROOMS = ("faults", "security", "tools", "vectors")


def files(*rooms: str) -> list[Path]:
    return [path for room in rooms for path in sorted((SOURCE / room).rglob("*.py"))]


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported anywhere in a file, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or ""


def dotted(node: ast.expr) -> str:
    """The name that is called, such as np.random.default_rng; empty if it is not a plain name."""
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return node.id if isinstance(node, ast.Name) else ""


def impurities(path: Path, name: str) -> list[str]:
    """What a file of a pure room must not do."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [
        f"imports {module}"
        for module in imported(tree)
        if module.split(".")[0] in IMPURE_MODULES and (name, module) not in ALLOWED
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and dotted(node.value) in ("np.random", "numpy.random"):
            found += [] if node.attr in SEEDED else [f"uses np.random.{node.attr}"]
        if isinstance(node, ast.Call):
            called = dotted(node.func)
            if called in IMPURE_CALLS:
                found.append(f"calls {called}")
            if called.endswith("default_rng") and not node.args:
                found.append("draws a seed from the operating system")
    return found


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts on the package in that folder."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "400", "NO_COLOR": "1"}
    return subprocess.run(
        [*command, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def contracts() -> list[dict[str, object]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[dict[str, object]] = settings["tool"]["importlinter"]["contracts"]
    return found


@pytest.mark.slow
def test_no_room_imports_what_it_must_not() -> None:
    """The architecture's table of who may import whom, indirect imports included."""
    result = lint(ROOT / "src")
    assert 0 == result.returncode, result.stdout + result.stderr


@pytest.mark.slow
def test_every_contract_notices_a_breach(tmp_path: Path) -> None:
    """A contract that cannot break protects nothing: each is broken once, in a copy."""
    shutil.copytree(SOURCE, tmp_path / "unveil", ignore=shutil.ignore_patterns("__pycache__"))
    for place, line in BREACHES.values():
        with (tmp_path / "unveil" / place).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    result = lint(tmp_path)
    broken = {line.removesuffix(" BROKEN") for line in result.stdout.splitlines() if line.endswith(" BROKEN")}
    assert 1 == result.returncode, result.stdout + result.stderr
    assert set(BREACHES) == {str(contract["name"]) for contract in contracts()} == broken


@pytest.mark.slow
def test_the_floor_plan_notices_what_reaches_too_high(tmp_path: Path) -> None:
    """The one list of floors stands for a deny-list for each room: every one of these imports is named."""
    shutil.copytree(SOURCE, tmp_path / "unveil", ignore=shutil.ignore_patterns("__pycache__"))
    for place, line in BEYOND:
        with (tmp_path / "unveil" / place).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    result = lint(tmp_path)
    assert "rooms import what lies below them BROKEN" in result.stdout, result.stdout + result.stderr
    for place, line in BEYOND:
        importer = f"unveil.{place.removesuffix('.py').replace('/', '.')}"
        assert f"{importer} -> {line.removeprefix('import ')} " in result.stdout, result.stdout


@pytest.mark.slow
def test_a_room_that_stands_on_no_floor_is_noticed(tmp_path: Path) -> None:
    """A new room must say whom it may import."""
    shutil.copytree(SOURCE, tmp_path / "unveil", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "unveil" / "attic").mkdir()
    (tmp_path / "unveil" / "attic" / "__init__.py").touch()
    result = lint(tmp_path)
    assert 1 == result.returncode
    assert "attic" in result.stdout + result.stderr


def test_the_protocol_needs_the_standard_library_only() -> None:
    """Another implementation should be able to read it as the specification, and to run it anywhere."""
    foreign = {
        (path.name, module)
        for path in files("protocol")
        for module in imported(ast.parse(path.read_text(encoding="utf-8")))
        if module.split(".")[0] not in sys.stdlib_module_names and not module.startswith("unveil.")
    }
    assert set() == foreign


@pytest.mark.parametrize("path", files(*PURE), ids=lambda path: str(path.relative_to(SOURCE)))
def test_pure_rooms_do_no_io_and_have_no_clock_and_no_hidden_randomness(path: Path) -> None:
    """A role's state must be the fold of what it received: nothing else may reach it."""
    assert [] == impurities(path, str(path.relative_to(SOURCE)))


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import time", ["imports time"]),
        ("def f():\n    from os import path", ["imports os"]),
        ("import secrets", ["imports secrets"]),
        ("open('x')", ["calls open"]),
        ("print(1)", ["calls print"]),
        ("np.random.seed(1)", ["uses np.random.seed"]),
        ("x = numpy.random.shuffle", ["uses np.random.shuffle"]),
        ("np.random.default_rng()", ["draws a seed from the operating system"]),
        ("np.random.default_rng([1, 2])", []),
        ("f(rng.random(3))", []),
    ],
)
def test_impurities_are_recognised(tmp_path: Path, code: str, found: list[str]) -> None:
    """The walk itself is tested, or it might see nothing."""
    path = tmp_path / "sample.py"
    path.write_text(code, encoding="utf-8")
    assert found == impurities(path, "linkage/sample.py")


def folders(root: Path) -> set[str]:
    """Every folder with Python files below that one, by its path from there."""
    return {path.parent.relative_to(root).as_posix() for path in root.rglob("*.py")} - {"."}


def test_every_folder_of_tests_has_the_name_of_a_room() -> None:
    """Whoever changes a room knows where its tests are; a room that moves takes them along."""
    of_rooms = {name for name in folders(ROOT / "tests") if name.split("/")[0] not in BESIDE_ROOMS}
    assert set() == of_rooms - folders(SOURCE)


def test_every_room_has_a_folder_of_tests() -> None:
    """A room on the floor plan, or in the lab, that nobody tests would not be missed otherwise."""
    tested = folders(ROOT / "tests")
    rooms = {name for name in folders(SOURCE) if "/" not in name} - {"lab"}
    of_the_lab = {name for name in folders(SOURCE) if name.startswith("lab/") and name.count("/") == 1}
    assert set() == (rooms | of_the_lab) - tested
