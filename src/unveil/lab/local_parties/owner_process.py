"""`python -m unveil.lab.local_parties.owner_process FOLDER`: an owner of a trial, at work until its links have come."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

from unveil.errors import StorageError, UnveilError
from unveil.projects.owner_config import OwnerConfig
from unveil.runtime.owner.fetcher import Fetcher
from unveil.runtime.owner.folder import OwnerFolder
from unveil.safety.core_dumps import turn_off_core_dumps

_LOOK = 0.1  # seconds between looks at whether the links have come


def work(folder: Path, stop: threading.Event) -> None:
    """Upload, answer, and wait for the links, or until `stop` is set."""
    owner = OwnerFolder.load(OwnerConfig.load(folder, demonstration=True), demonstration=True)
    with owner.open(demonstration=True) as database:
        fetcher = owner.fetcher(owner.host(database))
        fetcher.start()
        try:
            while not _through(fetcher) and not stop.wait(_LOOK):
                if fetcher.halted is not None:
                    raise fetcher.halted
        finally:
            fetcher.stop()


def _through(fetcher: Fetcher) -> bool:
    """Whether the links have come. A log that cannot be read just now ends no owner: its disk may come back."""
    try:
        return fetcher.finished
    except StorageError:
        return False


def main() -> int:
    """Return 0 when the owner is through or was told to stop, 1 when it failed."""
    turn_off_core_dumps()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        work(Path(sys.argv[1]), stop)
    except UnveilError as error:
        sys.stderr.write(f"unveil: error: {error.message}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
