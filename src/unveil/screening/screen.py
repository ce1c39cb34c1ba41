"""
Screening of one owner's filters: which of them cannot be encoded records, and why.

An owner may send filters that stand for nobody: by mistake, or to spoil what others get. A record in quarantine is
compared with nothing and linked to nothing; the rest of the upload goes on. The record unit reports counts and reasons,
never which record.

Dice similarity of filters with p and c ones is at most 2·min(p, c) / (p + c). So a filter with few ones resembles no
ordinary record and may stay (it may be a record with few values), while one with many ones would contain everybody.

An owner can always spoil its own records: leave them out, or send strangers in their place. Screening keeps the damage
from going further.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.outcome import Flags
from unveil.screening.bit_profile import noise
from unveil.screening.key_groups import KeyGroups, repeats

_FULL: Final = 0.95  # fill beyond which a filter says nothing
_SPREADS: Final = 10.0  # median absolute deviations above the median; honest records reach 7 or 8
_PLAIN: Final = 0.6  # fill that is never too much: among records with few values, a complete one stands out
_LEAST: Final = 1 / 32  # of the length: tolerance where all filters have the same number of ones
_ENOUGH: Final = 100  # records from which on their spread is known well enough


class Reason(IntEnum):
    """Why a record is in quarantine; 0 if it is not."""

    NONE = 0
    ALL_ZEROS = 1
    ALL_ONES = 2
    TOO_LONG = 3
    FILL = 4
    COPIES = 5
    UNRELATED = 6
    UNION = 7
    NOISE = 8


WORDS: Final = {
    Reason.ALL_ZEROS: "all zeros",
    Reason.ALL_ONES: "all ones or nearly so",
    Reason.TOO_LONG: "bits beyond the length",
    Reason.FILL: "far more ones than the other records",
    Reason.COPIES: "the same filter, or nearly so, too often",
    Reason.UNRELATED: "unrelated filters under the same blocking keys",
    Reason.UNION: "several records in one filter",
    Reason.NOISE: "bits at random",
}


@dataclass(frozen=True, slots=True)
class Screening:
    """Which rows are in quarantine, why, how many for each reason, and why the whole upload is (None: it is not)."""

    rows: Flags
    reasons: NDArray[np.uint8]
    summary: dict[str, int]
    whole: str | None


#: Screens an upload, given as filters and blocking keys.
Screen = Callable[[Bits, NDArray[np.uint8]], Screening]


def screen(
    filters: Bits, keys: NDArray[np.uint8], *, copies: int = 10, most: float = 0.5, resembling: float = 0.5
) -> Screening:
    """
    Return which records of an upload, given as filters and blocking keys (n, K, 16), are implausible.

    A filter may occur `copies` times: registers hold duplicates. The whole upload is in quarantine if a share of more
    than `most` is implausible, or if of the rest more than `resembling` resemble another record with the same keys.
    """
    reasons = np.zeros(len(filters), np.uint8)
    if not len(filters):
        return Screening(reasons > 0, reasons, {}, None)
    ones = filters.popcounts
    _mark(reasons, ones == 0, Reason.ALL_ZEROS)
    _mark(reasons, _beyond(filters), Reason.TOO_LONG)
    _mark(reasons, ones > _FULL * filters.m, Reason.ALL_ONES)
    _mark(reasons, repeats(filters.words) > copies, Reason.COPIES)
    _mark(reasons, _far(ones, reasons == 0, filters.m), Reason.FILL)
    rest = np.flatnonzero(reasons == 0)
    alike = 0.0
    if len(rest) >= _ENOUGH:
        some = _some(filters, rest)
        of_rest = np.zeros(len(rest), np.uint8)
        groups = KeyGroups(some, keys if len(rest) == len(keys) else keys[rest]) if keys.shape[1] else None
        if groups is not None:
            _mark(of_rest, groups.copied(copies), Reason.COPIES)
            _mark(of_rest, groups.unrelated(copies), Reason.UNRELATED)
            _mark(of_rest, groups.unions(), Reason.UNION)
        plain = np.flatnonzero(of_rest == 0)
        of_rest[plain[noise(_some(some, plain))]] = Reason.NOISE
        alike = groups.resembling(of_rest == 0) if groups is not None else 0.0
        reasons[rest] = of_rest
    return _screening(
        reasons,
        most,
        f"{alike:.0%} of the records resemble others with the same blocking keys" if alike > resembling else None,
    )


def _screening(reasons: NDArray[np.uint8], most: float, whole: str | None) -> Screening:
    rows = reasons > 0
    count = np.bincount(reasons, minlength=max(Reason) + 1).tolist()
    summary = {words: count[reason] for reason, words in WORDS.items() if count[reason]}
    if rows.mean() > most:
        worst = max(summary, key=summary.__getitem__)
        whole = f"{int(rows.sum())} of {len(rows)} records are implausible, most of them: {worst}"
    return Screening(rows, reasons, summary, whole)


def _some(filters: Bits, rows: NDArray[np.int64]) -> Bits:
    """These filters, in order; nothing is copied if they are all."""
    return filters if len(rows) == len(filters) else Bits(filters.words[rows], filters.m)


def _mark(reasons: NDArray[np.uint8], where: Flags, reason: Reason) -> None:
    """The first reason found stays."""
    reasons[where & (reasons == 0)] = reason


def _beyond(filters: Bits) -> Flags:
    """Which filters have bits set that do not belong to them."""
    used = filters.m % 64
    if not used:
        return np.zeros(len(filters), bool)
    return (filters.words[:, -1] >> np.uint64(used)) > 0


def _far(ones: NDArray[np.int32], among: Flags, m: int) -> Flags:
    """Which filters have far more ones than the median of those that are plausible so far."""
    sample = ones[among]
    if len(sample) < _ENOUGH:
        return np.zeros(len(ones), bool)
    median = float(np.median(sample))
    spread = float(np.median(np.abs(sample - median)))
    if spread == 0:  # balanced filters all have the same number of ones, so fewer are as strange as more
        return np.abs(ones - median) > _LEAST * m
    return ones > max(median + _SPREADS * spread, _PLAIN * m)
