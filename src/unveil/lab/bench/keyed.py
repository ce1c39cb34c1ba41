"""
Pair-keyed attribute filters (KABF): pairs per second, both owners' records of every pair, on every core.

Nothing can be shared between pairs, so this is a measure of hashing. There is no peer: no other tool makes such
filters. The ceiling is the rate of the hash function alone.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.qgrams import tokenise
from unveil.lab.bench.encode import QUICK, SIZES, best
from unveil.lab.bench.peers import Peers
from unveil.lab.synthetic import Registers, generate
from unveil.records import Records
from unveil.schema import Schema, built_in

_PEOPLE: Final = 50_000
_LAPS: Final = 3
_WORDS_PER_BLOCK: Final = 16
#: Blocks hashed to make a pair's key for one attribute: three for the message, one to close, two for its own states.
_BLOCKS_PER_KEY: Final = 6


def run(*, quick: bool, peers: Peers) -> dict[str, Any]:  # noqa: ARG001 - every benchmark is called alike
    """Rates from 10,000 records (5,000 pairs) on."""
    from unveil.encoding.bulk.compiled import threads

    schema = built_in("paper")
    people = generate(records=_PEOPLE)
    encoder = Encoder(schema, OwnerKey(bytes(range(32))), project="bench")
    sizes = [_measured(encoder, people, n // 2) for n in SIZES if not quick or n <= QUICK]
    return {
        "name": "KABF, seven attributes, both records of a pair",
        "ours": sizes[-1]["rate"],
        "peer": None,
        "peer_name": None,
        "unit": "pairs/s",
        "ratio": None,
        "threads": threads(),
        "sizes": sizes,
        "ceiling": threads() * _blocks_per_second() / (2 * _blocks_per_record(schema, people.a)),
        "ceiling_unit": "pairs/s if only SHA-256 were computed",
        "hint": "no other tool makes filters keyed by pair",
    }


def _measured(encoder: Encoder, people: Registers, pairs: int) -> dict[str, Any]:
    """Both owners' work for that many pairs, one after the other."""
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, _PEOPLE, (2, pairs))
    key_pairs = [rng.bytes(32) for _ in range(pairs)]

    def work() -> None:
        encoder.pair_level(people.a, left, key_pairs)
        encoder.pair_level(people.b, right, key_pairs)

    work()  # compiles or loads the kernels
    seconds = best(work, _LAPS)
    return {"records": 2 * pairs, "seconds": seconds, "rate": pairs / seconds}


def _blocks_per_record(schema: Schema, people: Records) -> float:
    """Blocks that SHA-256 takes in for one record: two for every HMAC of a token, and those of the keys."""
    blocks = 0.0
    for index, attribute in enumerate(schema.attributes):
        column = people.columns[attribute.name]
        counts = tokenise(column.distinct, attribute, index).counts[column.codes]
        blocks += _BLOCKS_PER_KEY + 2 * -(-attribute.h // _WORDS_PER_BLOCK) * float(counts.mean())
    return blocks


def _blocks_per_second() -> float:
    """Blocks that one core takes in."""
    from unveil.encoding.bulk import sha256

    laps = 2000
    w, v = sha256.scratch()
    w[:] = 0
    state = np.zeros(8 * sha256.LANES, dtype=np.uint32)

    def work() -> None:
        for _ in range(laps):
            sha256.compress(state, w, v)

    work()
    return laps * sha256.LANES / best(work, _LAPS)
