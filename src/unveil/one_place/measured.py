"""What can be counted when a linkage has come to its end, wherever its machines ran: disclosures, risks, advice."""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

import numpy as np

from unveil.linkage.pairs import Rows
from unveil.models.advice import attribute_worth, suitability
from unveil.one_place.figures import CountedFigures, Disclosure
from unveil.one_place.parties import Parties
from unveil.privacy.kapr import kapr_held, kapr_seen
from unveil.privacy.population import ReferencePopulation
from unveil.privacy.requests import RequestPolicy, disclosed
from unveil.records import Column, Records
from unveil.roles.owner.policy import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.roles.record_unit.machine import RecordUnit
from unveil.roles.review_unit.display import ReviewablePair, Verdict, opened
from unveil.schema import Schema

Figures = TypeVar("Figures", bound=CountedFigures)


class AnsweredTask(Protocol):
    """A pair that was shown to a reviewer, and the verdict."""

    @property
    def pair(self) -> ReviewablePair:
        """The pair."""
        ...

    @property
    def verdict(self) -> Verdict:
        """The verdict."""
        ...


def with_advice(figures: Figures, parties: Parties, schema: Schema) -> Figures:
    """The figures with what the layers can say about the encoding, the attributes and the reviewers."""
    unit, above = parties.attribute_unit, parties.record_unit
    if not len(unit.layer):
        return figures
    at = np.array([above.position_of(pair_id) for pair_id in unit.pair_ids])
    return replace(
        figures,
        suitability=suitability(above.candidates.pairs.similarity[at], unit.layer.outcomes),
        worth=attribute_worth(unit.similarity, unit.layer.outcomes, schema.names),
    )


def kept_out(unit: RecordUnit) -> dict[str, dict[str, int]]:
    """By owner and reason, records that screening kept out of the comparison."""
    return {str(owner): dict(found.reasons) for owner, found in unit.intake.kept_out.items()}


def states(schema: Schema, reviewed: Sequence[AnsweredTask]) -> dict[str, dict[str, int]]:
    """For each attribute, how many reviewed pairs were in which state."""
    found: dict[str, dict[str, int]] = {name: {} for name in schema.names}
    for answered in reviewed:
        for name, state in answered.pair.states.items():
            found[name][state] = found[name].get(state, 0) + 1
    return found


def disclosures(parties: Parties, schema: Schema, records: tuple[Records, Records]) -> tuple[Disclosure, ...]:
    """Per layer and attribute, how many records gave it up, of all records of both owners."""
    total = sum(map(len, records))
    rows = []
    for index, name in enumerate(schema.names):
        present = sum(int((~side.columns[name].missing()).sum()) for side in records)
        rows.append(Disclosure("record", name, present, total))
        for layer, number in (("attribute", ATTRIBUTE_LAYER), ("review", REVIEW_LAYER)):
            count = sum(int(one.ledger.records(number)[index]) for one in parties.owners)
            rows.append(Disclosure(layer, name, count, total))
    return tuple(rows)


def risk(
    parties: Parties, schema: Schema, records: tuple[Records, Records], reviewed: Sequence[AnsweredTask]
) -> dict[str, float]:
    """KAPR of the records in review: held under three request policies, and seen on the masked display."""
    if not reviewed:
        return {}
    unit, tasks = parties.attribute_unit, [answered.pair.task_id for answered in reviewed]
    population = ReferencePopulation(schema.names, *records)
    similarity = unit.similarity[[unit.tasks[task] for task in tasks]]
    left, right = np.array([parties.rows_of(task) for task in tasks], np.int32).T
    both = _picked(records, schema, left, right)
    present = np.stack([~both.columns[name].missing() for name in schema.names], axis=1)
    policies: dict[str, RequestPolicy] = {
        "held": "between",
        "held, unequal values": "unequal",
        "held, all values": "all",
    }
    found = {}
    for name, policy in policies.items():
        marks = disclosed(
            similarity, present[: len(left)], present[len(left) :], policy=policy, lower=schema.protocol.review.lower
        )
        found[name] = kapr_held(np.concatenate(marks), both, population)
    if schema.protocol.review.learn_lower is not None:  # what was really provided, under bounds that moved
        given = np.array([[n in answered.pair.values for n in schema.names] for answered in reviewed])
        found["held"] = kapr_held(np.concatenate([given, given]), both, population)
    values, shown = [], []
    for answered in reviewed:
        sides = opened(answered.pair, schema, answered.verdict.opened)
        for side in (0, 1):
            values.append({name: both_values[side] for name, both_values in answered.pair.values.items()})
            shown.append(sides[side])
    return {"seen": kapr_seen(values, shown, population), **found}


def _picked(records: tuple[Records, Records], schema: Schema, left: Rows, right: Rows) -> Records:
    """The records in review, left ones first."""
    a, b = records
    columns = {
        name: Column.of([a.columns[name][row] for row in left] + [b.columns[name][row] for row in right])
        for name in schema.names
    }
    return Records([str(i) for i in range(len(left) + len(right))], columns)


def peak_rss_mb() -> float:
    """The most memory this process has held, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 if sys.platform != "darwin" else peak / 2**20
