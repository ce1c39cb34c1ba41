"""What the record unit decides, as its log keeps it. Keys of pairs are not among it: they leave with the wishes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unveil.protocol.machine import Decision
from unveil.protocol.messages import ID, POSITION


@dataclass(frozen=True, slots=True, repr=False)
class Judged(Decision):
    """Whether the owners' fingerprints are the same."""

    agree: int


@dataclass(frozen=True, slots=True, repr=False)
class Screened(Decision):
    """Records of an owner that are kept out of the comparison, and why; `whole` says why all are, if they are."""

    owner: int
    whole: bytes
    rows: bytes
    reasons: bytes


@dataclass(frozen=True, slots=True, repr=False)
class PairsAsked(Decision):
    """The candidates of an iteration, decoys among them; and of each owner the rows that are in pairs of strangers."""

    KIND = "Asked"
    KEY = "pair_ids"
    WIDTHS = {"pair_ids": ID, "positions": POSITION}
    pair_ids: bytes
    positions: bytes
    strangers_left: bytes
    strangers_right: bytes


@dataclass(frozen=True, slots=True, repr=False)
class Finished(Decision):
    """The link id of every record: the owners' records one after the other."""

    KEY = "link_ids"
    WIDTHS = {"link_ids": ID}
    link_ids: bytes


KINDS: Mapping[str, type[Decision]] = {kind.kind(): kind for kind in (Judged, Screened, PairsAsked, Finished)}
