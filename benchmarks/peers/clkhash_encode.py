"""
Encode people with clkhash and print the seconds of the best lap.

    python clkhash_encode.py PEOPLE.csv BITS POSITIONS-PER-BIGRAM WORKERS LAPS

Run by `unveil bench encode` with the Python of .venv-peers, which has clkhash and nothing of Unveil. Start-up and
reading are left out of the time.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from pathlib import Path

from clkhash.clk import generate_clks
from clkhash.comparators import NgramComparison
from clkhash.field_formats import BitsPerTokenStrategy, FieldHashingProperties, StringSpec
from clkhash.schema import Schema


def main() -> None:
    """Measure and print."""
    path, m, h, workers, laps = Path(sys.argv[1]), *map(int, sys.argv[2:])
    with path.open(newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    schema = Schema([StringSpec(name, _hashing(h)) for name in names], m)
    seconds = []
    for _ in range(laps):
        start = time.perf_counter()
        made = generate_clks(rows, schema, "secret", validate=False, max_workers=workers)
        seconds.append(time.perf_counter() - start)
        assert len(made) == len(rows)
        assert len(made[0]) == m
    print(json.dumps(min(seconds)))


def _hashing(h: int) -> FieldHashingProperties:
    """Bigrams, h positions for each."""
    return FieldHashingProperties(NgramComparison(2), strategy=BitsPerTokenStrategy(h), hash_type="blakeHash")


if __name__ == "__main__":
    main()
