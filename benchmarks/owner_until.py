"""
Run an owner until it has come so far, for benchmarks/parties.py.

    python benchmarks/owner_until.py unveil.toml agreed|uploaded|finished
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from unveil.projects.owner_config import OwnerConfig
from unveil.runtime.owner.fetcher import Fetcher
from unveil.runtime.owner.folder import OwnerFolder


def main() -> None:
    """Run the owner of that configuration."""
    config, until = Path(sys.argv[1]), sys.argv[2]
    folder = OwnerFolder.load(OwnerConfig.load(config, demonstration=True), demonstration=True)
    with folder.open(demonstration=True) as database:
        fetcher = folder.fetcher(folder.host(database))
        fetcher.start()
        while not _reached(fetcher, until):
            time.sleep(0.05)
        fetcher.stop()


def _reached(fetcher: Fetcher, until: str) -> bool:
    if until == "agreed":
        return bool(fetcher.host.look(lambda owner: owner.agreed))
    if until == "uploaded":
        return fetcher.host.look(lambda owner: owner.uploaded) and fetcher.sent
    return fetcher.finished


if __name__ == "__main__":
    main()
