"""
The wheel where nothing else is: an environment of its own, outside the repository, for each Python that there is.

The pinned requirements are installed with their hashes, the wheel without any, and then it has to work: `unveil doctor`
finds nothing wrong, `unveil demo` links generated people, `unveil link` links two files of records and two files of
encodings. Nothing of the repository is on the path, and home is an empty folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tools.packaging.distributions import ROOT

SUPPORTED: Final = ((3, 11), (3, 12), (3, 13))
PINNED: Final = ROOT / "requirements" / "run.txt"
#: What a person does first, as words behind `unveil`; each of them has to end with 0.
JOURNEY: Final = (
    ("--version",),
    ("doctor",),
    ("demo", "--out", "demo", "--records", "300"),
    ("generate", "--out", "people", "--records", "300"),
    ("link", "people/a.csv", "people/b.csv", "--out", "links.csv"),
    ("key", "new", "project.key"),
    ("encode", "people/a.csv", "--key", "project.key", "--project", "trial", "--out", "a.parquet"),
    ("encode", "people/b.csv", "--key", "project.key", "--project", "trial", "--out", "b.parquet"),
    ("link", "a.parquet", "b.parquet", "--out", "encoded.csv"),
)
LEFT_BEHIND: Final = ("demo/report.html", "links.csv", "encoded.csv")
_SOURCES: Final = ("PIP_", "SSL_", "REQUESTS_", "HTTP", "http", "NO_PROXY", "no_proxy")
_LEAST_LINES: Final = 20


def pythons() -> Iterator[tuple[str, Path]]:
    """Each supported Python that this machine has: its version and where it came from, and the program."""
    found: dict[tuple[int, ...], tuple[str, Path]] = {}
    for place, candidate in _candidates():
        version = _version(candidate)
        if version[:2] in SUPPORTED:
            found.setdefault(version, (place, candidate))
    for version, (place, candidate) in sorted(found.items()):
        yield f"{'.'.join(map(str, version))} ({place})", candidate


def _candidates() -> Iterator[tuple[str, Path]]:
    for major, minor in SUPPORTED:
        name = f"python{major}.{minor}"
        yield "system", Path("/usr/bin") / name
        yield "local", Path("/usr/local/bin") / name
        for root in (Path.home() / ".pyenv" / "versions", Path.home() / ".local" / "share" / "uv" / "python"):
            for folder in sorted(root.glob(f"*{major}.{minor}.*")):
                yield root.parts[-2].lstrip("."), folder / "bin" / name
        if which := shutil.which(name):
            yield "path", Path(which).resolve()


def _version(python: Path) -> tuple[int, ...]:
    if not python.is_file():
        return ()
    code = "import sys, venv, ensurepip; print('.'.join(map(str, sys.version_info[:3])))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    return tuple(map(int, done.stdout.split("."))) if done.returncode == 0 else ()


def surroundings(home: Path) -> dict[str, str]:
    """What a process is told: where it is at home, and from where pip may fetch; nothing of the repository."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(_SOURCES)}
    config = Path.home() / ".config" / "pip" / "pip.conf"
    if config.is_file():
        kept.setdefault("PIP_CONFIG_FILE", str(config))
    return {**kept, "PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}


def install(python: Path, wheel: Path, folder: Path, told: Mapping[str, str]) -> Path:
    """A fresh environment in the folder with the pinned requirements and the wheel; its `bin`."""
    place = folder / "environment"
    _run([python, "-m", "venv", place], folder, told)
    pip: list[Path | str] = [place / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    _run([*pip, "--require-hashes", "-r", PINNED], folder, told)
    _run([*pip, "--no-deps", "--no-index", wheel.absolute()], folder, told)
    _run([place / "bin" / "python", "-m", "pip", "check"], folder, told)
    return place / "bin"


def work(unveil: list[Path | str], folder: Path, told: Mapping[str, str]) -> None:
    """Do what a person does first; CalledProcessError where a step fails, AssertionError where it leaves nothing."""
    for words in JOURNEY:
        _run([*unveil, *words], folder, told)
    for name in LEFT_BEHIND:
        lines = (folder / name).read_text(encoding="utf-8").count("\n")
        assert lines > _LEAST_LINES, f"{name} has {lines} lines"


def _run(words: list[Path | str], folder: Path, told: Mapping[str, str]) -> str:
    done = subprocess.run(words, cwd=folder, env=dict(told), capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        said = re.sub(r"https?://\S+", "(an address)", f"{done.stdout}\n{done.stderr}")
        sys.stderr.write(said[-4000:])
        done.check_returncode()
    return done.stdout


def try_everywhere(wheel: Path, tell: Callable[[str], object]) -> list[str]:
    """Install the wheel and work with it on every Python that there is; which ones it worked on."""
    worked = []
    for name, python in pythons():
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="unveil-bare-") as temporary:
            folder = Path(temporary)
            told = surroundings(folder)
            binaries = install(python, wheel, folder, told)
            _run([binaries / "python", "-c", "import sys, unveil; assert sys.prefix in unveil.__file__"], folder, told)
            work([binaries / "unveil"], folder, told)
        worked.append(name)
        tell(f"python {name}: installed, demo and link run, in {time.monotonic() - began:.0f} s")
    return worked
