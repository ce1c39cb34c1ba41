"""
The image, built by whatever builds images here; where nothing does, the steps of the Containerfile in a clean root.

BASE is another base image than the Containerfile's, with Python and its venv; BUILD_OPTIONS are further words for the
program that builds, and FETCHED_FROM are files and folders from which pip fetches on this machine, if it does.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import unveil
from tools.packaging.containerfile import CONTAINERFILE, script
from tools.packaging.distributions import ROOT

TAG: Final = f"unveil:{unveil.__version__}"
_BUILDERS: Final = (("podman", "info"), ("buildah", "info"), ("docker", "info"))


def builder() -> str | None:
    """The program that builds images here; a client whose engine does not run is none."""
    for name, question in _BUILDERS:
        found = shutil.which(name)
        if found and subprocess.run([found, question], capture_output=True, check=False).returncode == 0:  # noqa: S603
            return found
    return None


def build(program: str, tell: Callable[[str], object]) -> None:
    """Build the image from the wheel in dist/."""
    base = os.environ.get("BASE")
    further = shlex.split(os.environ.get("BUILD_OPTIONS", ""))
    # The other format that these know has no place for a health check.
    form = [] if Path(program).name == "docker" else ["--format", "docker"]
    words = [program, "build", *form, "--file", "Containerfile", "--tag", TAG, *further]
    words += ["--build-arg", f"BASE={base}"] if base else []
    subprocess.run([*words, "."], cwd=ROOT, check=True)  # noqa: S603
    tell(f"{TAG} is built")


def why_no_clean_root() -> str | None:
    """Why steps cannot run in a clean root here; None if they can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "only root may mount and change the root"
    missing = [name for name in ("unshare", "chroot", "mount", "useradd", "python3") if not _in_usr(name)]
    return f"this machine has no {', '.join(missing)} in /usr" if missing else None


def run_steps(tell: Callable[[str], object], *, text: str | None = None) -> None:
    """Do the Containerfile's steps in a clean root, and work with what comes of it."""
    text = CONTAINERFILE.read_text(encoding="utf-8") if text is None else text
    with tempfile.TemporaryDirectory(prefix="unveil-image-") as temporary:
        root = Path(temporary)
        (root / "final.read-only").mkdir()
        (root / "steps.sh").write_text(script(text, root), encoding="utf-8")
        words = ["unshare", "--mount", "--propagation", "private", "sh", str(root / "steps.sh")]
        subprocess.run(words, check=True)  # noqa: S603
    tell("every step of the Containerfile ran in a clean root, and so did what a person does first")


def _in_usr(name: str) -> bool:
    return any((Path("/usr") / folder / name).exists() for folder in ("bin", "sbin"))
