"""
Settings that are known to be broken: what attacks made of them, in figures, and what to set instead.

The figures are those of `docs/threat-model.md`. A schema with such settings is valid: published ones are among them.
"""

from __future__ import annotations

from collections.abc import Iterator

from unveil.schema.definition import Schema
from unveil.schema.hardening import METHODS

_ATTRIBUTE_LAYER = 2


def weaknesses(schema: Schema) -> list[str]:
    """A sentence for each setting of this schema that is known to be broken; none if all is well."""
    return [*_records(schema), *_attributes(schema)]


def _records(schema: Schema) -> Iterator[str]:
    layer = schema.layer_r
    instead = "salt a diffusion by fields as the schema person does"
    # What can be salted by fields mixes positions of a whole record.
    if not any("by" in METHODS[step.method].takes for step in layer.hardening):
        yield f"layer_r: whoever holds a similar register recognises up to all records by their similarities; {instead}"
    elif not any(step.by for step in layer.hardening) and layer.length > layer.m:
        yield f"layer_r: a diffusion into more bits than it has is undone in seconds; {instead}"


def _attributes(schema: Schema) -> Iterator[str]:
    if schema.protocol.layers >= _ATTRIBUTE_LAYER and not schema.layer_a.signs:
        yield (
            "layer_a: filters tell how long values are, and by their weights a record is recognised in other pairs at "
            "first guess in a third of 2,000; set signs = 1024"
        )
