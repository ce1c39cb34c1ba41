"""What the attribute unit warns of: attributes that do not agree across owners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unveil.linkage.agreement_of_owners import attribute_agreements, likely
from unveil.linkage.outcome import Outcomes, Reals
from unveil.protocol.data_warnings import DataWarning, WarningKind


def attribute_warnings(
    names: Sequence[str], similarity: Reals, outcomes: Outcomes, heard: Reals | None
) -> Iterator[DataWarning]:
    """
    Attributes that are hardly ever equal in likely pairs or not listened to, and equal in no other pairs either.

    `heard` says how far the model listens to each attribute, from 0 to 1; None if it does not tell.
    """
    found = attribute_agreements(similarity, likely(outcomes))
    for at, (name, one) in enumerate(zip(names, found, strict=True)):
        figures: dict[str, float] = {"pairs": one.pairs, "equal": one.equal}
        if heard is not None:
            figures["heard"] = round(float(heard[at]), 2)
        if (one.hardly or figures.get("heard") == 0) and not one.written_alike:
            yield DataWarning(WarningKind.ATTRIBUTE_HARDLY_AGREES, name, figures)
