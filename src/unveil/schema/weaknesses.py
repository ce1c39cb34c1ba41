"""
Settings that are known to be broken: what attacks made of them, in figures, and what to set instead.

The figures are those of `docs/threat-model.md`. A schema with such settings is valid: published ones are among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unveil.schema.definition import Schema
from unveil.schema.hardening import METHODS

_ATTRIBUTE_LAYER: Final = 2
_MIXES: Final = 3  # bits that each bit is the XOR of; with fewer similarities are still there to be matched
_TOLD: Final = {2: "13 %", 3: "35 %"}  # of 50,000 people, by the number of keys
_SHORT: Final = 20  # bits of keys that several values share, in registers of up to a million


def weaknesses(schema: Schema) -> list[str]:
    """A sentence for each setting of this schema that is known to be broken; none if all is well."""
    return [*_records(schema), *_keys(schema), *_attributes(schema)]


def _records(schema: Schema) -> Iterator[str]:
    layer = schema.layer_r
    instead = "salt a diffusion by fields as the schema person does"
    if not any(step.by or METHODS[step.method].xor_of(step) >= _MIXES for step in layer.hardening):
        yield f"layer_r: whoever holds a similar register recognises up to all records by their similarities; {instead}"
    elif not any(step.by for step in layer.hardening) and layer.length > layer.m:
        yield f"layer_r: a diffusion into more bits than it has is undone in seconds; {instead}"


def _keys(schema: Schema) -> Iterator[str]:
    keys = len(schema.blocking)
    if keys >= min(_TOLD) and schema.layer_r.key_bits > _SHORT:
        told = _TOLD.get(keys, f"more than {_TOLD[max(_TOLD)]}")
        yield (
            f"layer_r: by the pattern of {keys} blocking keys whoever holds the same register recognises {told} of "
            "50,000 people; set key_bits = 15, or one for every doubling of the records"
        )


def _attributes(schema: Schema) -> Iterator[str]:
    if schema.protocol.layers >= _ATTRIBUTE_LAYER and not schema.layer_a.signs:
        yield (
            "layer_a: filters tell how long values are, and by their weights a record is recognised in other pairs at "
            "first guess in a third of 2,000; set signs = 1024"
        )
