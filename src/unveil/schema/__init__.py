"""
The linkage schema: what a record is, how each layer encodes it, and how the protocol runs.

`definition` is the schema as a whole, `protocol` its section on how the layers work together, `presets` are named sets
of protocol parameters, `built_in` the schemas that come with Unveil.

What a schema chooses by name stands in tables, one row for each choice: methods of hardening (`hardening`), steps of
normalisation (`normalisation`), transforms of blocking fields (`transforms`), query strategies (`protocol`),
record-level encodings (`definition`). What is allowed, explained and derived follows from the row; the functions stand
in the rooms above, bound to their rows by name.
"""

from __future__ import annotations

from unveil.schema.definition import (
    Attribute,
    BlockingKey,
    Input,
    LayerA,
    LayerR,
    Schema,
    built_in,
    built_in_names,
    built_in_text,
    is_built_in,
    load,
    load_text,
    named,
    parse,
)
from unveil.schema.fields import BlockingField
from unveil.schema.hardening import Hardening
from unveil.schema.normalisation import Normalisation
from unveil.schema.protocol import (
    ForestSettings,
    FrequencySettings,
    ProtocolSettings,
    ReviewSettings,
    ThresholdSettings,
)
from unveil.schema.transforms import PHONETICS, TRANSFORMS

__all__ = [
    "PHONETICS",
    "TRANSFORMS",
    "Attribute",
    "BlockingField",
    "BlockingKey",
    "ForestSettings",
    "FrequencySettings",
    "Hardening",
    "Input",
    "LayerA",
    "LayerR",
    "Normalisation",
    "ProtocolSettings",
    "ReviewSettings",
    "Schema",
    "ThresholdSettings",
    "built_in",
    "built_in_names",
    "built_in_text",
    "is_built_in",
    "load",
    "load_text",
    "named",
    "parse",
]
