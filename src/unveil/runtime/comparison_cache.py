"""
Expensive results of the record unit, kept on disk by the hash of what they were computed from.

They are a convenience: a lost or damaged file costs the time to compute it again, never the result. What takes more
than `memory` bytes is not held once it is kept: its file is looked at instead.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.engine import Compare, Encoded, OnShare, digest
from unveil.linkage.model import RecordEvidence
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import ByKeys, Comparison, Pairs, Tail
from unveil.storage.cache import Cache
from unveil.storage.columns_on_disk import MEMORY

Arrays = dict[str, NDArray[Any]]
_VERSION = "6"  # to be raised when engines or evidence compute anything else


class ComparisonCache:
    """Compares two owners' records, and makes evidence of their pairs, once."""

    def __init__(
        self, cache: Cache, compare: Compare, features: RecordEvidence, *, settings: str, memory: int = MEMORY
    ) -> None:
        self._cache, self._compare, self._features, self._settings = cache, compare, features, settings
        self._memory = memory
        self._last: tuple[Encoded, Encoded, str] | None = None  # the hash of these two, which is slow to compute
        self._held: dict[str, Arrays] = {}  # what the disk would not take

    def comparison(self, left: Encoded, right: Encoded, /, *, share: OnShare = lambda _: None) -> Comparison:
        """The comparison, computed or found; `share` follows how far it is."""
        share(0.0)
        key = self._key("comparison", left, right)
        known = self._known(key)
        if known is None:
            found = self._compare(left, right, share=share)
            counts = np.array([found.compared, found.skipped_blocks], np.int64)
            pairs = found.pairs
            kept: Arrays = {"left": pairs.left, "right": pairs.right, "similarity": pairs.similarity, "counts": counts}
            if found.near is not None:
                kept["near"] = found.near
            if found.tail is not None:
                kept |= _tail_arrays(found.tail)
            known = self._kept(key, kept)
        else:
            share(1.0)
        compared, skipped = known["counts"].tolist()
        pairs = Pairs(known["left"], known["right"], known["similarity"])
        return Comparison(pairs, compared, skipped, known.get("near"), _tail(known))

    def features(self, comparison: Comparison, left: Encoded, right: Encoded) -> Reals:
        """The evidence, computed or found."""
        key = self._key("features", left, right)
        known = self._known(key)
        if known is None:
            known = self._kept(key, {"features": self._features(comparison, left, right)})
        return known["features"]

    def _known(self, key: str) -> Arrays | None:
        return self._held.get(key) or self._cache.get(key)

    def _kept(self, key: str, arrays: Arrays) -> Arrays:
        """The same arrays, kept; as they lie in their file if they are long."""
        if not self._cache.put(key, arrays):
            self._held[key] = arrays
            return arrays
        if sum(array.nbytes for array in arrays.values()) <= self._memory:
            return arrays
        return self._cache.get(key) or arrays

    def _key(self, kind: str, left: Encoded, right: Encoded) -> str:
        if self._last is None or self._last[0] is not left or self._last[1] is not right:
            self._last = (left, right, digest(left, right))
        text = f"{_VERSION}|{kind}|{self._settings}|{self._last[2]}"
        return hashlib.sha256(text.encode()).hexdigest()


def _tail_arrays(tail: Tail) -> Arrays:
    arrays = {
        "tail_middle": np.array([tail.middle]),
        "tail_across": tail.across,
        "tail_at_home": tail.at_home,
        "tail_worth": tail.worth,
    }
    if tail.by_keys is not None:
        arrays |= {"by_keys_across": tail.by_keys.across, "by_keys_at_home": tail.by_keys.at_home}
    return arrays


def _tail(known: Arrays) -> Tail | None:
    if "tail_across" not in known:
        return None
    counts = ByKeys(known["by_keys_across"], known["by_keys_at_home"]) if "by_keys_across" in known else None
    middle = float(known["tail_middle"][0])
    return Tail(middle, known["tail_across"], known["tail_at_home"], known["tail_worth"], counts)
