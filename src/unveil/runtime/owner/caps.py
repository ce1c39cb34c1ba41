"""The caps of a policy by layer, under the names that reports give them."""

from __future__ import annotations

from unveil.roles.owner.allowance import Caps
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER


def caps_of(given: Caps, layer: int) -> dict[str, int | None]:
    """The caps that concern a layer, in words; None is no cap."""
    if layer == ATTRIBUTE_LAYER:
        return {
            "pairs per record": given.record_pairs,
            "pairs in all": given.project_pairs,
            "pairs per day": given.day_pairs,
        }
    return {
        "reviews per record": given.record_reviews,
        "records per attribute": given.attribute_records,
        "values in all": given.project_values,
        "values per day": given.day_values,
    }
