"""What the record unit warns of: keys that do not agree across owners, and filters that are too full or too empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unveil.linkage.agreement_of_owners import KeyAgreement, key_agreements, likely
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded
from unveil.linkage.outcome import Outcomes
from unveil.linkage.pairs import Pairs, Rows
from unveil.protocol.data_warnings import DataWarning, WarningKind
from unveil.screening.fill import differ, far_off, mean_fill

_DIGITS = 4


def unit_warnings(
    names: Sequence[str], sides: Mapping[str, Encoded], pairs: Pairs | None, outcomes: Outcomes
) -> Iterator[DataWarning]:
    """What looks wrong with the uploads of these owners; of the keys of these names only once there are pairs."""
    yield from fill_warnings({owner: side.filters for owner, side in sides.items()})
    if pairs is not None:
        (left, right), at = sides.values(), np.flatnonzero(likely(outcomes))
        yield from key_warnings(names, left, right, (pairs.left[at], pairs.right[at]))


def nobody_warnings(*, shared: bool) -> Iterator[DataWarning]:
    """That nobody seems to be in both registers, if so."""
    if not shared:
        yield DataWarning(WarningKind.NOBODY_SHARED, "registers")


def fill_warnings(filters: Mapping[str, Bits]) -> Iterator[DataWarning]:
    """Owners whose filters are far from 40 % full, or much emptier than the other owner's."""
    means = {owner: mean_fill(side) for owner, side in filters.items()}
    known = sorted((round(fill, _DIGITS), owner) for owner, fill in means.items() if fill is not None)
    for owner, fill in means.items():
        if fill is not None and far_off(fill):
            yield DataWarning(WarningKind.FILL_FAR_OFF, owner, {"fill": round(fill, _DIGITS)})
    if len(known) > 1 and differ(known[0][0], known[-1][0]):
        (fill, owner), (other, _) = known[0], known[-1]
        yield DataWarning(WarningKind.FILLS_DIFFER, owner, {"fill": fill, "other": other})


def key_warnings(
    names: Sequence[str], left: Encoded, right: Encoded, linked: tuple[Rows, Rows]
) -> Iterator[DataWarning]:
    """Blocking keys that hardly ever agree in linked pairs, or have no value that both owners have."""
    for name, found in zip(names, key_agreements(left.keys, right.keys, linked), strict=True):
        warning = _key_warning(name, found)
        if warning is not None:
            yield warning


def _key_warning(name: str, found: KeyAgreement) -> DataWarning | None:
    if found.hardly:
        figures = {"pairs": found.pairs, "agreeing": found.agreeing}
        return DataWarning(WarningKind.KEY_HARDLY_AGREES, name, figures)
    return DataWarning(WarningKind.KEY_NOT_SHARED, name) if found.apart else None
