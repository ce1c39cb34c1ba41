"""
Comparing all pairs against anonlink's accelerated Dice: the same filters, the same threshold, the same pairs.

The filters are CLKs of generated people. anonlink has an interpreter of its own and takes the time there; reading and
starting are left out on both sides. Rounds of the two alternate and the best of each counts, so that what else runs on
the machine meets both. anonlink gets no limit of candidates per record, so it returns every pair, and the pairs are
compared one by one.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.engines import choose
from unveil.lab.bench.peers import Peers
from unveil.lab.bench.speed import popcount_ceiling
from unveil.lab.synthetic import generate
from unveil.linkage.bits import Bits
from unveil.linkage.pairs import Pairs
from unveil.schema import built_in

SIZES: Final = (10_000, 20_000, 50_000, 100_000, 200_000)
QUICK: Final = (2_000, 5_000)
THRESHOLD: Final = 0.8
PROCESSES: Final = 2
_ROUNDS: Final = 3
_PEER: Final = "anonlink"
_PROGRAM: Final = "anonlink_compare.py"


def run(*, quick: bool, peers: Peers) -> dict[str, Any]:
    """Comparisons per second at growing sizes; where the peer cannot run, its figures are null."""
    sizes, compared = [], QUICK[-1] if quick else 20_000
    against: dict[int, dict[str, Any]] = {}
    for n in QUICK if quick else SIZES:
        a, b = clks(n)
        engine = choose("cpu", threads=PROCESSES)
        Pairs.concatenate(engine.all_pairs(Bits(a.words[:500], a.m), Bits(b.words[:500], b.m), floor=THRESHOLD))
        seconds = min(_ours(a, b, PROCESSES)[0] for _ in range(_ROUNDS if n <= compared else 1))
        sizes.append({"records": n, "seconds": seconds, "rate": n * n / seconds})
        if n == compared:
            against = {threads: _round(a, b, threads, peers) for threads in (1, PROCESSES)}
    words = built_in("paper").layer_r.m // 64
    hint = peers.obstacle(_PEER, _PROGRAM) or f"{_PEER} could not run"
    return {
        "name": f"all pairs of {compared:,} and {compared:,} records, {words * 64} bits, Dice of at least {THRESHOLD}",
        **against[1],
        "peer_name": _PEER,
        "unit": "comparisons/s",
        "threads": 1,
        "parallel": {"threads": PROCESSES, **against[PROCESSES]},
        "sizes": sizes,
        "ceiling": popcount_ceiling(words) / words,
        "ceiling_unit": "comparisons/s of one thread if every word were counted, in the nearest cache",
        "hint": hint if against[1]["peer"] is None else None,
    }


def clks(records: int) -> tuple[Bits, Bits]:
    """The filters of two registers of generated people."""
    encoder = Encoder(built_in("paper"), OwnerKey(bytes(range(32))), project="bench")
    people = generate(records=records)
    return Bits(encoder.record_level(people.a), encoder.m), Bits(encoder.record_level(people.b), encoder.m)


def _round(a: Bits, b: Bits, threads: int, peers: Peers) -> dict[str, Any]:
    """Rates of both, the best of rounds that alternate, and whether the pairs were the same."""
    ours, theirs, same = [], [], None
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "filters.npz", a=a.words, b=b.words)
        for _ in range(_ROUNDS):
            seconds, pairs = _ours(a, b, threads)
            ours.append(seconds)
            peer = _peer(peers, Path(folder), threads)
            if peer is not None:
                theirs.append(peer[0])
                same = _same(pairs, peer[1])
    pairs_compared = len(a) * len(b)
    return {
        "ours": pairs_compared / min(ours),
        "peer": pairs_compared / min(theirs) if theirs else None,
        "ratio": min(theirs) / min(ours) if theirs else None,
        "same_pairs": same,
    }


def _ours(a: Bits, b: Bits, threads: int) -> tuple[float, Pairs]:
    engine = choose("cpu", threads=threads)
    start = time.perf_counter()
    pairs = Pairs.concatenate(engine.all_pairs(a, b, floor=THRESHOLD)).sorted()
    return time.perf_counter() - start, pairs


def _peer(peers: Peers, folder: Path, processes: int) -> tuple[float, Pairs] | None:
    """The peer's seconds and pairs; None if it cannot run."""
    out = folder / "pairs.npz"
    seconds = peers.run(_PROGRAM, folder / "filters.npz", out, THRESHOLD, processes)
    if seconds is None:
        return None
    with np.load(out) as found:
        left, right = found["left"].astype(np.int32), found["right"].astype(np.int32)
        return float(seconds), Pairs(left, right, found["similarity"]).sorted()


def _same(ours: Pairs, theirs: Pairs) -> bool:
    """Whether both found the same rows with the same similarities, bit for bit."""
    return all(np.array_equal(getattr(ours, part), getattr(theirs, part)) for part in ("left", "right", "similarity"))
