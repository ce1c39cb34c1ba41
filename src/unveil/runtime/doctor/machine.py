"""The machine by itself: Python, libraries, compiled code, the clock, and what some commands could use."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import shutil
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

import unveil
from unveil import engines
from unveil.runtime.doctor.diagnosis import Diagnosis, fine, note, wrong
from unveil.safety.compiled_code import compiled_folder

OLDEST, NEWEST_TRIED = (3, 11), (3, 13)
_DAY: Final = 86_400
_TIME_ERROR: Final = 5  # what adjtimex answers while nothing sets the clock
_TIMEX: Final = 512  # bytes; more than the structure has anywhere


def machine() -> Iterator[Diagnosis]:
    """Everything that can be asked without knowing what the machine is for."""
    yield python_version()
    yield from libraries()
    yield compiled_code()
    yield from clock()
    yield from what_some_commands_use()


def python_version(found: Sequence[int] = sys.version_info[:3]) -> Diagnosis:
    """Whether this Python is one that is tried."""
    said = ".".join(map(str, found))
    if tuple(found[:2]) < OLDEST:
        return wrong("python", said, "Python 3.11, 3.12 or 3.13, in an environment of its own")
    if tuple(found[:2]) > NEWEST_TRIED:
        return note("python", f"{said}, which this release was not tried with", "Python 3.11, 3.12 or 3.13")
    return fine("python", said)


def libraries(
    wanted: Sequence[str] | None = None, version: Callable[[str], str] = metadata.version
) -> Iterator[Diagnosis]:
    """Whether the libraries that this installation was made for are there."""
    try:
        lines = metadata.requires("unveil") if wanted is None else wanted
    except metadata.PackageNotFoundError:
        yield note("libraries", "this is no installed package, so nobody knows what it needs", "install the wheel")
        return
    names = [re.split(r"[^A-Za-z0-9._-]", line)[0] for line in lines or () if "extra ==" not in line]
    missing = []
    for name in names:
        try:
            version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        cure = "pip install --require-hashes -r requirements/run.txt, in the environment of unveil"
        yield wrong("libraries", f"missing: {', '.join(missing)}", cure)
    else:
        yield fine("libraries", f"all {len(names)} are there, for unveil {unveil.__version__}")


def compiled_code() -> Diagnosis:
    """Whether what was compiled once is kept."""
    folder = compiled_folder()
    if folder is not None:
        return fine("compiled code", f"is kept in {folder}")
    cure = "name a folder of this user's with mode 700 in NUMBA_CACHE_DIR; nobody else may write above it"
    return note("compiled code", "is kept nowhere, so every process compiles anew, for seconds", cure)


def clock(now: float | None = None, *, synchronised: bool | None = None) -> Iterator[Diagnosis]:
    """Whether the clock can be right: certificates, tokens and daily caps depend on it."""
    now = time.time() if now is None else now
    installed = Path(unveil.__file__).stat().st_mtime
    if now < installed - _DAY:
        yield wrong("clock", "is earlier than the files of this installation", "set the clock, and have it kept (NTP)")
        return
    synchronised = _is_synchronised() if synchronised is None else synchronised
    shown = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    if synchronised is False:
        cure = "have it kept by timesyncd, chrony or the host, if it is not; minutes matter"
        yield note("clock", f"{shown}; the system does not say that anything keeps it right", cure)
    else:
        yield fine("clock", shown)


def _is_synchronised() -> bool | None:
    """What the kernel says of its clock; None where it does not say."""
    try:
        answer = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX))
    except (OSError, AttributeError):
        return None
    return None if answer < 0 else answer != _TIME_ERROR


def what_some_commands_use() -> Iterator[Diagnosis]:
    """What is good to have and nowhere needed, and the engines that there are."""
    problems = {name: engines.problem(name) for name in engines.NAMES if name != "auto"}
    there = [name for name, problem in problems.items() if problem is None]
    if "cpu" in there:
        yield fine("engines", ", ".join(there))
    else:
        why = problems["cpu"]
        yield wrong("engines", why.message if why else "cpu is missing", "install numba as requirements/run.txt has it")
    if (gpu := problems.get("gpu")) is not None:
        yield note("gpu", f"none is used: {gpu.message}; auto compares on the processor")
    yield _found("postgresql", importlib.util.find_spec("psycopg") is not None, "the extra postgres is not installed")
    yield _found("browser", _has_browser(), "none; open the link of unveil owner console in one of your own")
    yield _found("java", shutil.which("java") is not None, "none; nothing of this release needs it")


def _found(check: str, there: bool, otherwise: str) -> Diagnosis:  # noqa: FBT001 - a row of a table
    return fine(check, "is there") if there else note(check, otherwise)


def _has_browser() -> bool:
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True
