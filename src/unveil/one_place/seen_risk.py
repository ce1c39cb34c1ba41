"""What it risks to open a pair further, counted in the people of a simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unveil.privacy.kapr import kapr_seen
from unveil.privacy.population import ReferencePopulation
from unveil.roles.review_unit.display import NOTHING_MORE, Hiding, ReviewablePair, opened
from unveil.roles.review_unit.masking import Stage
from unveil.schema import Schema

#: The risk of a pair whose attributes are opened so far.
RiskOfPair = Callable[[ReviewablePair, Mapping[str, Stage]], float]


def seen_risk(schema: Schema, population: ReferencePopulation, hiding: Hiding = NOTHING_MORE) -> RiskOfPair:
    """KAPR seen of one pair, counted in that population."""

    def risk(pair: ReviewablePair, stages: Mapping[str, Stage]) -> float:
        values = [{name: both[side] for name, both in pair.values.items()} for side in (0, 1)]
        return kapr_seen(values, opened(pair, schema, stages), population, length_hidden=hiding.length)

    return risk
