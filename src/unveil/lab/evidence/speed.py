"""How long an encoding takes beside plain filters, to make and to compare: both side by side, by processor time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.lab.evidence.codings import PLAIN
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Engine
from unveil.records import Records
from unveil.schema import Schema

#: Each is timed so often, in turn, and the shortest time counts: what else the machine does only adds to it.
_LAPS: Final = 3
#: Filters of either side that are compared, at least: the same people again and again.
_COMPARED: Final = 8_000
#: Pairs below this similarity are not kept, which is nearly all of them under every encoding.
_FLOOR: Final = 0.8


@dataclass(frozen=True, slots=True)
class Speed:
    """Microseconds that encoding a record takes, and those of plain filters; comparing, in times of plain filters."""

    encoding: float
    encoding_plain: float
    comparing: float


def speed_of(schema: Schema, records: Records, engine: Engine) -> Speed:
    """The record encoding of a schema beside plain filters, of the same people."""
    schemas = (PLAIN.of(schema), schema)

    def encoded(number: int) -> Bits:
        encoder = Encoder(schemas[number], OwnerKey(bytes(32)), project="speed")
        return Bits(encoder.record_level(records, rng=np.random.default_rng(1)), encoder.m)

    many = [_repeated(encoded(number)) for number in (0, 1)]

    def compared(number: int) -> None:
        for _ in engine.all_pairs(many[number], many[number], floor=_FLOOR):
            pass

    plain, own = _shortest(encoded)
    comparing_plain, comparing = _shortest(compared)
    each = 1e6 / len(records)
    return Speed(round(own * each, 2), round(plain * each, 2), round(comparing / max(comparing_plain, 1e-6), 2))


def _shortest(work: Callable[[int], object]) -> list[float]:
    """Seconds of processor time for both, the best of several laps."""
    shortest = [float("inf"), float("inf")]
    for _ in range(_LAPS):
        for number in (0, 1):
            begun = time.process_time()
            work(number)
            shortest[number] = min(shortest[number], time.process_time() - begun)
    return shortest


def _repeated(filters: Bits) -> Bits:
    times = -(-_COMPARED // len(filters))
    return Bits(np.tile(filters.words, (times, 1)), filters.m)
