"""
Comparing within blocks: 100,000 blocks of 2 × 2 and one of 5,000 × 5,000, against the same number in one block.

One block is as good as it gets, so it stands where a peer would: a ratio of 1 would mean that small blocks are free.
Rows lie in memory as the records came, in no order. `sizes` are generated people with the schema's own blocking keys.
"""

from __future__ import annotations

import math
import time
from typing import Any, Final

import numpy as np

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.engines import choose
from unveil.lab.bench.peers import Peers
from unveil.lab.bench.speed import popcount_ceiling
from unveil.lab.synthetic import generate
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Engine
from unveil.schema import built_in

SIZES: Final = (10_000, 50_000, 200_000, 1_000_000)
QUICK: Final = 10_000
FLOOR: Final = 0.8
SMALL: Final = 100_000
LARGE: Final = 5_000
_ROUNDS: Final = 15


def run(*, quick: bool, peers: Peers) -> dict[str, Any]:  # noqa: ARG001 - every benchmark takes the same
    """Comparisons per second in mixed blocks and in one; growth with generated people."""
    engine = choose("cpu")
    small, large = (SMALL // 10, LARGE // 2) if quick else (SMALL, LARGE)
    mixed, one, comparisons = _laps(engine, small, large)
    sizes = []
    for n in SIZES:
        if quick and n > QUICK:
            break
        a, b, blocks = _people(n)
        seconds, compared = min(_timed(engine, a, b, blocks) for _ in range(3))
        sizes.append({"records": n, "seconds": seconds, "rate": compared / seconds, "compared": compared})
    words = built_in("paper").layer_r.m // 64
    return {
        "name": f"{small:,} blocks of 2 × 2 and one of {large:,} × {large:,}",
        "ours": comparisons / mixed,
        "peer": comparisons / one,
        "peer_name": "the same number of comparisons in one block",
        "unit": "comparisons/s",
        "ratio": one / mixed,
        "threads": getattr(engine, "threads", 1),
        "sizes": sizes,
        "ceiling": popcount_ceiling(words) / words,
        "ceiling_unit": "comparisons/s of one thread if every word were counted, in the nearest cache",
        "hint": None,
    }


def _laps(engine: Engine, small: int, large: int) -> tuple[float, float, int]:
    """Best seconds of mixed blocks and of one block, in turn, and the comparisons of each."""
    rng = np.random.default_rng(1)
    a, b, _ = _people(20_000)
    rows = 2 * small + large
    codes = np.append(np.repeat(np.arange(1, small + 1), 2), np.zeros(large, np.int64))
    mixed = Blocks(rng.permutation(codes)[:, None], rng.permutation(codes)[:, None], 0)
    many = [Bits(side.words[rng.integers(0, len(side), rows)], side.m) for side in (a, b)]
    width = math.isqrt(4 * small + large * large)
    few = [Bits(side.words[:width].copy(), side.m) for side in many]
    one = Blocks(np.zeros((width, 1), np.int64), np.zeros((width, 1), np.int64), 0)
    laps = [
        (_timed(engine, many[0], many[1], mixed)[0], _timed(engine, few[0], few[1], one)[0]) for _ in range(_ROUNDS)
    ]
    return min(lap[0] for lap in laps), min(lap[1] for lap in laps), 4 * small + large * large


def _people(records: int) -> tuple[Bits, Bits, Blocks]:
    """Filters and blocks of two registers of generated people."""
    schema = built_in("paper")
    encoder = Encoder(schema, OwnerKey(bytes(range(32))), project="bench")
    people = generate(records=records)
    a, b = (Bits(encoder.record_level(part), encoder.m) for part in (people.a, people.b))
    keys = encoder.blocking_keys(people.a), encoder.blocking_keys(people.b)
    return a, b, Blocks.of(*keys, max_block=schema.protocol.max_block)


def _timed(engine: Engine, a: Bits, b: Bits, blocks: Blocks) -> tuple[float, int]:
    """Seconds, and candidates compared; counts of ones are part of the filters and not counted in."""
    counts = [0]
    _ = a.popcounts, b.popcounts
    start = time.perf_counter()
    for _pairs in engine.block_pairs(a, b, blocks, floor=FLOOR, progress=counts.append):
        pass
    return time.perf_counter() - start, counts[-1]
