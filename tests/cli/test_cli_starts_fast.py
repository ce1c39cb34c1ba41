"""
How much a command imports before it does anything.

Modules are counted and no seconds are taken: a count is the same on every machine, however busy it is. With what is
allowed here `unveil --help` takes about a fifth of a second of one core, half of which is Python's and Typer's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

#: Runs a command as its entry point does, and tells which modules it left in memory.
LOADED = """
import contextlib, io, json, sys
from unveil.cli import main
sys.argv = ["unveil", *sys.argv[1:]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
print(json.dumps(sorted(sys.modules)))
"""
#: Each of them takes a tenth of a second or more.
HEAVY = {
    "cryptography",
    "fastapi",
    "httpx",
    "numba",
    "numpy",
    "pyarrow",
    "rich.progress",
    "scipy",
    "sklearn",
    "structlog",
}
MOST_FOR_HELP = 400


def loaded_by(*words: str, folder: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True, cwd=folder, timeout=60
    )
    return set(json.loads(done.stdout))


def test_help_reads_no_setting_and_loads_no_library_that_computes(tmp_path: Path) -> None:
    """It is asked for most often by whoever does not know the program yet, and at every press of the tab key."""
    modules = loaded_by("--help", folder=tmp_path)
    assert "unveil.cli.owner.commands" in modules
    assert set() == modules & (HEAVY | {"pydantic", "unveil.schema"})
    assert len(modules) < MOST_FOR_HELP


def test_the_version_is_told_without_what_draws_help(tmp_path: Path) -> None:
    """Scripts and package managers ask for it."""
    modules = loaded_by("--version", folder=tmp_path)
    assert set() == modules & (HEAVY | {"pydantic", "rich.markdown"})
    assert len(modules) < MOST_FOR_HELP - 100


@pytest.mark.parametrize("words", [("key", "new", "project.key"), ("schema", "show"), ("link", "--help")], ids=" ".join)
def test_what_only_reads_and_writes_a_file_loads_no_library_that_computes(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """These are typed one after the other, each waited for."""
    modules = loaded_by(*words, folder=tmp_path)
    assert set() == modules & HEAVY
    assert len(modules) < MOST_FOR_HELP + 150
