"""
Record-level encoding against clkhash: seven attributes, bigrams, 1024 bits, 12 positions per bigram, on every core.

Both encode the same generated people, and the median of our laps is held against the best of the peer's. clkhash has an
interpreter of its own and takes the time there, start-up and reading left out. It is given rows of text in memory and
is asked not to validate them; ours is given the columns that reading a file makes (distinct values and codes).
`with_columns` says how long ours takes from rows of text.
"""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.lab.bench.peers import Peers
from unveil.lab.synthetic import generate
from unveil.records import Column, Records
from unveil.schema import Schema, built_in

SIZES: Final = (10_000, 50_000, 200_000, 1_000_000)
QUICK: Final = 50_000
#: The peer needs minutes where we need none; beyond this size its rate no longer changes.
_PEER_LARGEST: Final = 200_000
_LAPS, _PEER_LAPS, _WINDOW = 5, 3, 1.0
_PEER: Final = "clkhash"
_PROGRAM: Final = "clkhash_encode.py"


def run(*, quick: bool, peers: Peers) -> dict[str, Any]:
    """Rates from 10,000 records on; where the peer cannot run, its figures are null."""
    from unveil.encoding.bulk.compiled import threads

    schema = built_in("paper")
    encoder = Encoder(schema, OwnerKey(bytes(range(32))), project="bench")
    obstacle = peers.obstacle(_PEER, _PROGRAM)
    sizes: list[dict[str, Any]] = []
    for n in SIZES:
        if quick and n > QUICK:
            break
        people = generate(records=n).a
        encoder.record_level(people)  # compiles or loads the kernels
        peer = _peer(peers, schema, people, threads()) if obstacle is None and n <= _PEER_LARGEST else None
        seconds = typical(partial(encoder.record_level, people))
        columns = _from_rows(encoder, schema, people)
        rates = {"records": n, "seconds": seconds, "rate": n / seconds}
        sizes.append({**rates, "with_columns": columns, "peer_seconds": peer})
    return _result(sizes, threads(), schema, obstacle)


def best(work: Callable[[], object], laps: int) -> float:
    """Seconds of the fastest lap."""
    seconds = []
    for _ in range(laps):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def typical(work: Callable[[], object]) -> float:
    """Seconds of the median lap within about a second: a short lap finds a quiet moment that the peer's cannot find."""
    laps: list[float] = []
    while sum(laps) < _WINDOW or len(laps) < _LAPS:
        laps.append(best(work, 1))
    return float(np.median(laps))


def _result(sizes: list[dict[str, Any]], threads: int, schema: Schema, obstacle: str | None) -> dict[str, Any]:
    compared = [size for size in sizes if size["peer_seconds"] is not None]
    shown = (compared or sizes)[-1]
    peer = shown["records"] / shown["peer_seconds"] if compared else None
    return {
        "name": "CLK encoding, seven attributes",
        "ours": shown["rate"],
        "peer": peer,
        "peer_name": _PEER,
        "unit": "records/s",
        "ratio": shown["rate"] / peer if peer else None,
        "threads": threads,
        "sizes": sizes,
        "ceiling": _ceiling(schema.layer_r.m),
        "ceiling_unit": "records/s if filters were only written to memory",
        "hint": None if compared else obstacle or f"{_PEER} could not run",
    }


def _from_rows(encoder: Encoder, schema: Schema, people: Records) -> float:
    """Seconds from rows of text: columns made in plain Python, then encoded."""
    values = {name: people.columns[name].values() for name in schema.names}
    start = time.perf_counter()
    encoder.record_level(Records(people.ids, {name: Column.of(column) for name, column in values.items()}))
    return time.perf_counter() - start


def _peer(peers: Peers, schema: Schema, people: Records, workers: int) -> float | None:
    """The peer's best seconds for these people; None if it cannot run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(schema.names)
            writer.writerows(zip(*(people.columns[name].values() for name in schema.names), strict=True))
        seconds = peers.run(_PROGRAM, path, schema.layer_r.m, schema.layer_r.h, workers, _PEER_LAPS)
    return None if seconds is None else float(seconds)


def _ceiling(m: int) -> float:
    """Records per second if a filter cost no more than writing its words."""
    rows = 200_000
    return rows / best(lambda: np.zeros((rows, m // 64), dtype=np.uint64).fill(1), 5)
