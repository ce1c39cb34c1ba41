"""A data set made ready: encoded and compared once, for any number of runs on it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.lab.evaluation.quality import best_threshold, truth_flags
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Compare, Encoded, Engine, Neighbours, OnShare, comparing, digest
from unveil.linkage.outcome import Flags
from unveil.linkage.pairs import Comparison, Rows
from unveil.records import Records
from unveil.safety.coins import Coins
from unveil.schema import Schema

PROJECT = "simulation"


def simulation_key(seed: int) -> OwnerKey:
    """A key that everybody can compute: a simulation protects nobody and must never be mistaken for the field."""
    return OwnerKey(hashlib.sha256(f"unveil simulation key, not secret|{seed}".encode()).digest())


class ComparedOnce:
    """Compares once and gives the same answer for the same encodings, recognised by their hash."""

    def __init__(self, compare: Compare) -> None:
        self._compare = compare
        self._known: dict[str, Comparison] = {}

    def __call__(self, a: Encoded, b: Encoded, /, *, share: OnShare = lambda _: None) -> Comparison:
        """The comparison, computed now or before."""
        key = digest(a, b)
        if key not in self._known:
            self._known[key] = self._compare(a, b, share=share)
        return self._known[key]


class EncodedOnce(Encoder):
    """An encoder that encodes the records of a study once."""

    def __init__(self, schema: Schema, seed: int) -> None:
        super().__init__(schema, simulation_key(seed), project=PROJECT)
        self._known: dict[int, tuple[NDArray[np.uint64], NDArray[np.uint8]]] = {}

    def record_level(self, records: Records, *, rng: Coins | np.random.Generator | None = None) -> NDArray[np.uint64]:
        """The filters, computed now or before."""
        return self._encoded(records, rng)[0]

    def blocking_keys(self, records: Records) -> NDArray[np.uint8]:
        """The hashed keys, computed now or before."""
        return self._encoded(records, None)[1]

    def _encoded(
        self, records: Records, rng: Coins | np.random.Generator | None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        if id(records) not in self._known:
            # A hardening that flips coins draws them here once, so every run of the study sees the same filters.
            filters = super().record_level(records, rng=rng or np.random.default_rng(0))
            self._known[id(records)] = (filters, super().blocking_keys(records))
        return self._known[id(records)]


@dataclass(eq=False)
class Study:
    """Two owners' records, the truth, and what every run on them shares."""

    name: str
    schema: Schema
    a: Records
    b: Records
    truth: NDArray[np.int64]
    engine: Engine
    seed: int = 1  # of key_do: other keys hash otherwise, which moves F1 by a few thousandths
    encoder: EncodedOnce = field(init=False)
    compare: ComparedOnce = field(init=False)

    def __post_init__(self) -> None:
        protocol = self.schema.protocol
        self.encoder = EncodedOnce(self.schema, self.seed)
        near = Neighbours.of(protocol)
        self.compare = ComparedOnce(
            comparing(self.engine, floor=protocol.floor, max_block=protocol.max_block, neighbours=near)
        )

    def encode(self) -> tuple[Encoded, Encoded]:
        """Both owners' records as the record unit will hold them."""
        left, right = (self._encoded(records) for records in (self.a, self.b))
        return left, right

    def _encoded(self, records: Records) -> Encoded:
        filters = np.ascontiguousarray(self.encoder.record_level(records), dtype=np.uint64)
        return Encoded(Bits(filters, self.encoder.m), self.encoder.blocking_keys(records))

    @cached_property
    def comparison(self) -> Comparison:
        """The candidate pairs and their similarities."""
        return self.compare(*self.encode())

    def compare_now(self, share: OnShare) -> None:
        """Compare, if that was not done yet; `share` follows how far it is."""
        if "comparison" not in self.__dict__:
            self.comparison = self.compare(*self.encode(), share=share)

    @cached_property
    def is_true(self) -> Flags:
        """Which of the candidate pairs are true."""
        pairs = self.comparison.pairs
        return truth_flags(pairs.left, pairs.right, self.truth)

    @cached_property
    def best(self) -> tuple[float, float]:
        """The threshold t_opt that is best by truth, and its F1: the record-level baseline."""
        return best_threshold(self.comparison.pairs.similarity, self.is_true, len(self.truth))

    @cached_property
    def pairs_completeness(self) -> float:
        """Share of the true pairs that are candidates, whether or not they are alike enough to be kept."""
        if not len(self.truth):
            return 1.0
        near = self.comparison.near
        if not self.schema.blocking and near is None:
            return 1.0
        found = self._share_a_key()
        if near is not None:
            pairs = self.comparison.pairs
            found |= _among(self.truth, pairs.left[near], pairs.right[near])
        return float(found.mean())

    def _share_a_key(self) -> Flags:
        left, right = self.encode()
        blocks = Blocks.of(left.keys, right.keys, max_block=self.schema.protocol.max_block)
        return blocks.agree(self.truth[:, 0].astype(np.int32), self.truth[:, 1].astype(np.int32))


def _among(truth: NDArray[np.int64], left: Rows, right: Rows) -> Flags:
    """Which of the true pairs are among these."""
    return np.isin(truth[:, 0] << 32 | truth[:, 1], left.astype(np.int64) << 32 | right)
