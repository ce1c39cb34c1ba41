"""
Wheel and source distribution, byte for byte the same from the same commit.

The one thing that a build takes from its surroundings is the time that stands in the archives: it is SOURCE_DATE_EPOCH
if that is set, or else the time of the latest commit; outside a repository, a fixed one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
#: 2020-02-02, which hatchling takes too where nobody says when.
FIXED_TIME: Final = 1_580_601_600


def source_time(root: Path = ROOT) -> int:
    """The time that stands in the archives, in seconds since 1970."""
    said = os.environ.get("SOURCE_DATE_EPOCH")
    if said:
        return int(said)
    words = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return FIXED_TIME
    return int(done.stdout.strip() or FIXED_TIME)


def build(out: Path, *, root: Path = ROOT, when: int | None = None) -> tuple[Path, Path]:
    """Build the wheel and the source distribution of that tree into a folder; the two files."""
    out.mkdir(parents=True, exist_ok=True)
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    surroundings = {**os.environ, "SOURCE_DATE_EPOCH": str(source_time(root) if when is None else when)}
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(out.absolute()), "-t", "wheel", "-t", "sdist"]
    subprocess.run(words, cwd=root, env=surroundings, check=True, capture_output=True)  # noqa: S603
    made = [path for path in out.iterdir() if before.get(path) != path.stat().st_mtime_ns]
    (wheel,) = (path for path in made if path.suffix == ".whl")
    (source,) = (path for path in made if path.name.endswith(".tar.gz"))
    return wheel, source
