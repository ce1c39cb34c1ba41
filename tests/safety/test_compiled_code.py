"""Machine code is kept where nobody else can put any, or nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unveil.safety.private_folder import private_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")

#: Where the kernels of both rooms are kept, and whether the code works.
SCRIPT = """
from unveil.safety.compiled_code import compiled_folder
from unveil.encoding.bulk.compiled import compiled
from unveil.engines.cpu.compile import kernel
def double(x):
    return 2 * x
found = [each(double) for each in (compiled, kernel)]
print(compiled_folder(), *(one.stats.cache_path for one in found), *(one(21) for one in found))
"""


def kept(tmp_path: Path, **environment: str) -> list[str]:
    """What the script says, in a process of its own."""
    (tmp_path / "script.py").write_text(SCRIPT)
    clean = {key: value for key, value in os.environ.items() if key not in {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME"}}
    words = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=clean | environment)
    return done.stdout.split()


@pytest.mark.slow
def test_code_is_kept_in_a_folder_of_this_user_alone(tmp_path: Path) -> None:
    """Not beside the source, where whoever shares the installation may write."""
    folder, *places, _, _ = kept(tmp_path, HOME=str(tmp_path))
    assert str(tmp_path / ".cache" / "unveil" / "compiled") == folder
    assert 0o700 == Path(folder).stat().st_mode & 0o777
    assert all(place.startswith(folder) for place in places)
    assert ["script"] == sorted({path.name.split(".")[0] for path in Path(folder).rglob("*.nbi")})


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755])
@pytest.mark.parametrize("named", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_nothing_is_kept_or_read_where_others_may_write(tmp_path: Path, mode: int, named: str) -> None:
    """A pickle that somebody laid out there would be run; without a folder each process compiles for itself."""
    shared = tmp_path / "shared"
    folder = shared if named == "NUMBA_CACHE_DIR" else shared / "unveil" / "compiled"
    folder.mkdir(parents=True)
    folder.chmod(mode)
    assert ["None", "None", "None", "42", "42"] == kept(tmp_path, HOME=str(tmp_path), **{named: str(shared)})
    assert [] == [path for path in shared.rglob("*") if path.is_file()]


@pytest.mark.parametrize("above", [0o777, 0o1777, 0o755])
def test_the_folders_above_count_too(tmp_path: Path, above: int) -> None:
    """Whoever can rename one of them can put another in its place; where only owners may, as in /tmp, they cannot."""
    outer = tmp_path / "outer"
    outer.mkdir()
    outer.chmod(above)
    found = private_folder(outer / "own")
    assert (None if above == 0o777 else (outer / "own").resolve()) == found


def test_a_link_to_a_folder_that_others_may_write_to_is_seen_through(tmp_path: Path) -> None:
    """What counts is where it leads."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    assert private_folder(tmp_path / "link") is None
    (tmp_path / "file").touch()
    assert private_folder(tmp_path / "file") is None
