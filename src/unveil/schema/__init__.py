"""
The linkage schema: what a record is, how each layer encodes it, and how the protocol runs.

`definition` is the schema as a whole, `protocol` its section on how the layers work together, `presets` are named sets
of protocol parameters, `built_in` the schemas that come with Unveil.
"""

from __future__ import annotations

from unveil.schema.definition import (
    PHONETICS,
    TRANSFORMS,
    Attribute,
    BlockingField,
    BlockingKey,
    Hardening,
    Input,
    LayerA,
    LayerR,
    Normalisation,
    Schema,
    built_in,
    built_in_names,
    built_in_text,
    is_built_in,
    load,
    load_text,
    parse,
)
from unveil.schema.protocol import (
    ForestSettings,
    FrequencySettings,
    ProtocolSettings,
    ReviewSettings,
    ThresholdSettings,
)

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
    "parse",
]
