"""
Filters whose bits were drawn at random. Real records share common parts, so some bits are set more often than others.

A filter drawn at random has as many of its ones among the common bits as chance gives it; a record has more. Where a
hardening has made all bits equally frequent, the two cannot be distinguished. That does no harm: random filters are
then as dissimilar to every record as strangers are, and change no estimate.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits, Words
from unveil.linkage.outcome import Flags, Reals

_SAMPLE: Final = 20_000
_NOISE: Final = 2.5  # standard deviations that noise hardly ever exceeds, and records nearly always do
_CLEAR: Final = 7.0  # one record in ten must exceed this many, or the encoding is too level to tell
_SPARSE: Final = 0.6  # of the typical number of ones: records with fewer values are not judged
_ENOUGH: Final = 50  # odd filters from which on their own bits can be judged
_UNEVEN: Final = 1.2
_MANY: Final = 0.01  # share of the upload below which odd ones are left alone: among many records some are odd


def noise(filters: Bits) -> Flags:
    """
    Return which filters look drawn at random; none if these are few or the encoding does not show it.

    C is the half of the bits that is set most often, c = |C| / m. A filter b of k ones has
    z = (|b∧C| − k·c) / √(k·(1 − k/m)·c·(1 − c)), which is standard normal for noise.
    """
    common = _common(filters)
    few = Bits(_sample(filters.words), filters.m)
    z = _excess(few, common)
    clear = float(np.quantile(z, 0.9)) >= _CLEAR and float((z < _NOISE).mean()) > _MANY
    none = np.zeros(len(filters), bool)
    if not clear:  # most uploads end here, and a sample is enough to tell
        return none
    full = filters.popcounts >= _SPARSE * np.median(filters.popcounts)
    odd = (_excess(filters, common) < _NOISE) & full
    return odd if odd.mean() > _MANY and odd.sum() >= _ENOUGH and _level(filters, odd) else none


def _level(filters: Bits, odd: Flags) -> bool:
    """
    Whether no bit is more common than another among these filters, as it must be if they are noise.

    Without this, many filters alike would make their own bits the common ones, and noise of honest records.
    The variance of the bits' frequencies f may exceed that of coins, mean(f·(1 − f)) / n, by a fifth at most.
    """
    some = _sample(filters.words[odd])
    often = _bits(some)[:, : filters.m].mean(axis=0)
    coins = float((often * (1 - often)).mean()) / len(some)
    return float(often.var()) <= _UNEVEN * coins


def _excess(filters: Bits, common: Words) -> Reals:
    """How many more of its ones than chance each filter has among the common bits, in standard deviations."""
    share = float(np.bitwise_count(common).sum()) / filters.m
    ones = filters.popcounts.astype(np.float64)
    inside = np.bitwise_count(filters.words & common).sum(axis=1, dtype=np.int64)
    variance = ones * (1 - ones / filters.m) * share * (1 - share)
    return (inside - ones * share) / np.sqrt(np.maximum(variance, 1.0))


def _common(filters: Bits) -> Words:
    """The bits that are set more often than the median bit, as one filter."""
    often = _bits(_sample(filters.words)).sum(axis=0, dtype=np.int64)
    chosen = often > np.median(often[: filters.m])
    chosen[filters.m :] = False
    return np.packbits(chosen, bitorder="little").view("<u8").astype(np.uint64)


def _sample(words: Words) -> Words:
    """Enough rows to know the bits' frequencies by."""
    if len(words) <= _SAMPLE:
        return words
    return words[np.random.default_rng(0).integers(0, len(words), _SAMPLE)]  # any rows do, and always the same ones


def _bits(words: Words) -> NDArray[np.uint8]:
    return np.unpackbits(np.ascontiguousarray(words, dtype="<u8").view(np.uint8), axis=1, bitorder="little")
