"""
What a schema does with an owner's records: how full filters are, what weights should be, what keys cost and lose.

Everything here is a number or the name of an attribute or column. No value of a record is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from unveil.encoding.planning.attribute_facts import AttributeFacts, attribute_facts
from unveil.encoding.planning.blocks import BlockingTable
from unveil.encoding.planning.contents import content_share
from unveil.encoding.planning.facts import sample_of_rows, sample_of_values, some_records
from unveil.encoding.planning.fill import expected_fill, fitting_h, record_fill
from unveil.encoding.planning.strangers import PersonMarks
from unveil.encoding.planning.trials import ASSUMED, assumed_trial, lost, make_trials
from unveil.records import Records
from unveil.schema import Attribute, BlockingKey, Schema

#: Everything that is assumed to go wrong, so many times as often.
WORSE: Final = 4.0
_SEED: Final = 1  # keys are chosen on other copies, or their loss would look smaller than it is
_ENCODED: Final = 300  # records that are encoded to see how full their filters are

#: Is given a few words on what is being done.
Stage = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeFigures:
    """
    One attribute. Shares are between 0 and 1.

    `role_given` says whether the schema names the role, or its name points to it. `weight_by_data` is a lower bound
    where `weight_is_bound`: too few people agree to tell more. `stand_ins` is the share of values such as NA or
    unknown. `missing_other` is the other owner's, None without it.
    """

    name: str
    column: str
    role: str
    role_given: bool
    missing: float
    missing_other: float | None
    stand_ins: float
    distinct: int
    length: float
    h: int
    fill: float
    fitting_h: int
    weight: float
    weight_by_data: float
    weight_is_bound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFigures:
    """One blocking key: how many records have it, how many pairs it makes, in all and in its largest block."""

    name: str
    has: float
    pairs: int
    pairs_per_record: float
    largest_block: int
    skipped_blocks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFigures:
    """
    A schema and an owner's records.

    `lost` is the share of people in both registers who share no key, if as much goes wrong as is assumed; `lost_worse`
    if four times as much does; `lost_to` if one thing befalls everybody. None where there are no keys to lose by.
    """

    records: int
    records_other: int | None
    attributes: tuple[AttributeFigures, ...]
    m: int
    h: int
    fill: float
    fitting_h: int | None
    wanted_fill: float
    keys: tuple[KeyFigures, ...]
    lost: float | None
    lost_worse: float | None
    lost_to: Mapping[str, float]

    def as_json(self) -> dict[str, Any]:
        """The same for files and programs."""
        return asdict(self)


def schema_figures(
    records: Records, schema: Schema, *, other: Records | None = None, stage: Stage = lambda _: None
) -> SchemaFigures:
    """What this schema does with these records; without the other owner's, the first one's stand in for them."""
    attributes = []
    marks, missing = PersonMarks.of(records, schema), {}
    for attribute in schema.attributes:
        stage(f"measuring {attribute.name}")
        theirs = None if other is None else attribute_facts(other, attribute, PersonMarks()).missing
        facts = attribute_facts(records, attribute, marks)
        missing[attribute.name] = facts.missing if theirs is None else theirs
        attributes.append(_attribute(records, schema, attribute, facts, theirs))
    stage("measuring record filters")
    filled = record_fill(some_records(records, sample_of_rows(len(records), _ENCODED)), schema)
    table, keys, reached = BlockingTable(records, other, schema), [], {}
    for key in schema.blocking:
        stage(f"measuring {key.name}")
        figures, reached[key.name] = _key(table, key)
        keys.append(figures)
    stage("trying the keys on copies of records")
    as_assumed = lost(make_trials(records, schema, missing, seed=_SEED), schema, reached) if keys else {}
    worse = lost([assumed_trial(records, schema, missing, seed=_SEED, times=WORSE)], schema, reached) if keys else {}
    return SchemaFigures(
        records=len(records),
        records_other=None if other is None else len(other),
        attributes=tuple(attributes),
        m=schema.layer_r.m,
        h=schema.layer_r.h,
        fill=filled.fill,
        fitting_h=filled.fitting_h,
        wanted_fill=filled.wanted,
        keys=tuple(keys),
        lost=as_assumed.pop(ASSUMED, None),
        lost_worse=worse.get(ASSUMED),
        lost_to=as_assumed,
    )


def _attribute(
    records: Records, schema: Schema, attribute: Attribute, facts: AttributeFacts, missing_other: float | None
) -> AttributeFigures:
    m = schema.layer_a.m
    stand_ins = content_share("in the place of a missing value", sample_of_values(records.columns[attribute.name]))
    return AttributeFigures(
        name=attribute.name,
        column=attribute.source,
        role=attribute.meaning,
        role_given=attribute.role is not None,
        missing=facts.missing,
        missing_other=missing_other,
        stand_ins=stand_ins,
        distinct=facts.distinct,
        length=facts.length,
        h=attribute.h,
        fill=expected_fill(facts.tokens, m=m, h=attribute.h),
        fitting_h=fitting_h(facts.tokens, m=m),
        weight=attribute.weight,
        weight_by_data=facts.weight(attribute.meaning),
        weight_is_bound=facts.agreement.at_most,
    )


def _key(table: BlockingTable, key: BlockingKey) -> tuple[KeyFigures, Any]:
    """The figures of a key, and the records that it reaches."""
    blocks = table.blocks(key)
    figures = KeyFigures(
        name=key.name,
        has=blocks.has,
        pairs=blocks.pairs,
        pairs_per_record=blocks.pairs / len(table.records),
        largest_block=blocks.largest,
        skipped_blocks=blocks.skipped,
    )
    return figures, blocks.reached
