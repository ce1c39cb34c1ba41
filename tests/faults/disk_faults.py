"""Ways in which the disk under a party's log can fail, each for as long as a `with` block lasts."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from fleet import Fleet

#: A fault of one party's disk.
Fault = Callable[[Fleet, str], AbstractContextManager[None]]
_FILLER = "filler"


@contextmanager
def full(parties: Fleet, party: str) -> Iterator[None]:
    """Not a byte is left on the party's disk, a small one of its own: for its log as for what it writes to stderr."""
    filler = parties.root / party / _FILLER
    handle = os.open(filler, os.O_WRONLY | os.O_CREAT, 0o600)
    over = threading.Event()

    def fill() -> None:
        for size in (1 << 16, 1 << 10, 1):
            with suppress(OSError):
                while not over.is_set():
                    os.write(handle, bytes(size))

    def keep_full() -> None:
        """A party that cuts its write-ahead log makes room, which somebody else takes."""
        while not over.wait(0.001):
            fill()

    fill()
    others = threading.Thread(target=keep_full)
    others.start()
    try:
        yield
    finally:
        over.set()
        others.join()
        os.close(handle)
        filler.unlink()


@contextmanager
def limited(parties: Fleet, party: str) -> Iterator[None]:
    """The party's process may write to no file at all: each try fails with EFBIG, as where a quota is used up."""
    pid = parties.pids[party]
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@contextmanager
def gone(parties: Fleet, party: str) -> Iterator[None]:
    """The party's folder is not there, as when a disk is unplugged or unmounted."""
    folder = parties.root / party
    away = folder.rename(parties.root / f"{party}.away")
    try:
        yield
    finally:
        away.rename(folder)


@contextmanager
def read_only(parties: Fleet, party: str) -> Iterator[None]:
    """Neither the party's folders nor the files in them may be written. Binds who gave up root's powers."""
    folder = parties.root / party
    places = [folder, *(path for path in folder.rglob("*") if path.name != "stderr.log")]
    modes = {path: path.stat().st_mode for path in places}
    for path, mode in modes.items():
        path.chmod(mode & 0o555)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[bool]:
    """Put a folder's files on a small disk of their own, in memory; False where this user may not mount one."""
    copy = folder.with_name(f"{folder.name}.copy")
    shutil.copytree(folder, copy)
    done = subprocess.run(
        ["/bin/mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        yield False
        return
    try:
        shutil.copytree(copy, folder, dirs_exist_ok=True)
        yield True
    finally:
        subprocess.run(["/bin/umount", "--lazy", folder], check=True)
