"""
What collecting pairs takes of memory, with all of them held and with most of them on the disk.

python benchmarks/columns.py --records 500000 --memory 64

Two registers of random filters and three keys of skewed blocks are compared, every candidate is kept, and the same is
done again with that many MB of columns in memory. Each run is a process of its own; its memory is the most that it held
beside mapped files (RssAnon), less what it held before it compared. Both must find the same pairs, bit for bit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

WORDS = 16  # of a filter
KEYS = 3
VALUES = 2000  # of a key, the most frequent one 100 times as frequent as the rarest


def main() -> None:
    """Run both, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--memory", type=int, default=64, help="MB of columns in memory")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(run(given.records, given.one)))
        return
    found = []
    for memory in (0, given.memory):
        command = [sys.executable, __file__, "--records", str(given.records), "--one", str(memory)]
        found.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
        one = found[-1]
        where = f"{memory} MB in memory" if memory else "all in memory"
        print(f"{where:<20}{one['pairs']:>14,} pairs{one['mb']:>10.0f} MB{one['seconds']:>9.1f} s")
    if found[0]["digest"] != found[1]["digest"]:
        raise SystemExit("other pairs")


def run(records: int, memory: int) -> dict[str, object]:
    """One comparison in this process."""
    from unveil.engines import choose
    from unveil.linkage.bits import Bits
    from unveil.linkage.engine import Encoded, comparing
    from unveil.storage.columns_on_disk import ColumnsOnDisk

    rng = np.random.default_rng(1)
    shares = np.geomspace(100, 1, VALUES)
    sides = []
    for _ in range(2):
        filters = Bits(rng.integers(0, 1 << 63, (records, WORDS), np.uint64), 64 * WORDS)
        keys = np.zeros((records, KEYS, 16), np.uint8)
        keys[:, :, 15] = 1
        for key in range(KEYS):
            values = rng.choice(VALUES, records, p=shares / shares.sum())
            keys[:, key, :2] = values.astype(">u2").view(np.uint8).reshape(-1, 2)
        sides.append(Encoded(filters, keys))
    with tempfile.TemporaryDirectory() as folder:
        room = ColumnsOnDisk(Path(folder), memory=memory << 20) if memory else None
        compare = comparing(choose("cpu"), floor=0.0, max_block=1 << 40, room=room)
        small = [Encoded(Bits(side.filters.words[:100], 64 * WORDS), side.keys[:100]) for side in sides]
        compare(small[0], small[1])  # compiles
        before, watch = held(), Watch()
        began = time.perf_counter()
        pairs = compare(sides[0], sides[1]).pairs
        seconds, peak = time.perf_counter() - began, watch.most()
        digest = hashlib.sha256()
        for column in (pairs.left, pairs.right, pairs.similarity):
            for start in range(0, len(pairs), 1 << 20):
                digest.update(column[start : start + (1 << 20)].tobytes())
    return {"pairs": len(pairs), "mb": (peak - before) / 1024, "seconds": seconds, "digest": digest.hexdigest()}


class Watch:
    """Looks at what the process holds until it is asked for the most."""

    def __init__(self) -> None:
        self._most, self._ended = held(), threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def most(self) -> int:
        """The most kB so far; looking ends."""
        self._ended.set()
        self._thread.join()
        return self._most

    def _look(self) -> None:
        while not self._ended.wait(0.01):
            self._most = max(self._most, held())


def held() -> int:
    """The kB of memory that belong to no file."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


if __name__ == "__main__":
    main()
