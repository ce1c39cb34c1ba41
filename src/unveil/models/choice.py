"""What each unit decides with, by the schema's choice of models."""

from __future__ import annotations

from functools import partial

from unveil.errors import SettingError
from unveil.linkage.attributes import evidence
from unveil.linkage.model import AttributeEvidence, Model, RecordEvidence, similarity_alone
from unveil.models.attribute_evidence import SUMMARY, WeighedAttributes, attribute_evidence
from unveil.models.forest import Forest
from unveil.models.logistic import LOOSER, LogisticModel
from unveil.models.priors import load_levels, load_tables
from unveil.models.record_evidence import RECORD_EVIDENCE, record_odds
from unveil.models.tables import KnownOdds, Tables
from unveil.models.threshold import ThresholdModel
from unveil.schema import Schema


def record_model(schema: Schema, *, t0: float | None = None) -> tuple[Model, RecordEvidence]:
    """M_R and the evidence that it looks at."""
    if schema.protocol.models == "paper":
        return ThresholdModel.start(schema.protocol.threshold, t0), similarity_alone
    return assessor(schema)


def assessor(schema: Schema) -> tuple[LogisticModel, RecordEvidence]:
    """What the record unit estimates its own quality with, whatever it decides with."""
    tables = _fitting("record", tuple(RECORD_EVIDENCE))
    features = partial(record_odds, tables, max_block=schema.protocol.max_block, hardening=schema.layer_r.hardening)
    return LogisticModel(KnownOdds()), features


def attribute_model(schema: Schema, *, forest: Forest | None = None) -> tuple[Model, AttributeEvidence]:
    """M_A and the evidence that it looks at; a saved forest may be handed in where the paper's models decide."""
    if schema.protocol.models == "paper":
        return forest or Forest(schema.protocol.forest), lambda similarity, agreement, _: evidence(
            similarity, agreement, schema
        )
    if forest is not None:
        raise SettingError("only the paper's models use a forest", hint="choose --preset paper or --preset schema")
    prior = WeighedAttributes.of(schema, _fitting("attribute", SUMMARY), load_levels(signs=schema.layer_a.signs > 0))
    return LogisticModel(prior, inertia=LOOSER), attribute_evidence


def _fitting(name: str, expected: tuple[str, ...]) -> Tables:
    tables = load_tables(name)
    assert tables.names == expected, f"the shipped prior {name} is out of date: python -m tools.train_priors"
    return tables
