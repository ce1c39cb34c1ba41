"""The schema that a data manager would write for a world: ordinary weights, keys from what there is."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final

import numpy as np

from unveil.encoding.planning.column_roles import ROW
from unveil.encoding.planning.fill import HALF, WANTED_FILL
from unveil.encoding.planning.proposal import propose
from unveil.encoding.planning.protection import LENGTH, SIGNS, protected, short_keys
from unveil.errors import SettingError
from unveil.lab.worlds.design import Design
from unveil.records import Records
from unveil.schema import Attribute, BlockingKey, Hardening, LayerA, LayerR, Schema

_NUMBERS: Final = frozenset({
    "date_of_birth", "year_of_birth", "birth_month", "birth_day", "house_number", "phone", "id_number", "postcode",
})  # fmt: skip
#: Keys in the order in which people think of them; those whose attributes are there are taken.
_KEYS: Final = (
    ("soundex(given_name)", "soundex(family_name)"),
    ("family_name", "date_of_birth"),
    ("given_name", "date_of_birth"),
    ("family_name", "year_of_birth"),
    ("given_name", "year_of_birth"),
    ("family_name", "postcode"),
    ("date_of_birth", "postcode"),
    ("phone",),
    ("id_number",),
    ("given_name", "street"),
    ("family_name", "town"),
)
_COUNTS: Final = {"none": 0, "few": 2, "usual": 3, "many": 7}
_HARDENINGS: Final[dict[str, tuple[Hardening, ...]]] = {
    "none": (),
    "xor-fold": (Hardening(method="xor-fold"),),
    "diffusion": (Hardening(method="diffusion", t=3),),
    "randomised-response": (Hardening(method="randomised-response", f=0.05),),
    "balance": (Hardening(method="balance"),),
}


def schema_of(design: Design, registers: Sequence[Records]) -> Schema:
    """The schema of a world; numbers of hash positions follow from the values, as a tool computes them."""
    tokens = {name: _tokens(name, registers) for name in design.attributes}
    layer_a = LayerA(signs=SIGNS if design.hardening == "protected" else 0)
    attributes = tuple(
        Attribute(
            name=name,
            # By its name a day of birth is a birthday, with month and year.
            role="birth_part" if name == "birth_day" else None,
            h=_positions(layer_a.m, tokens[name]),
            normalise=("digits-only",) if name in _NUMBERS else ("transliterate", "trim", "lowercase", "strip-accents"),
            frequency=name in {"given_name", "family_name", "town"},
        )
        for name in design.attributes
    )
    return Schema(
        name=f"world-{design.seed}",
        attributes=attributes,
        blocking=keys_of(design.attributes, _COUNTS[design.keys]),
        layer_r=_layer_r(design, attributes, sum(tokens.values()), max(map(len, registers))),
        layer_a=layer_a,
    )


def proposed_for(design: Design, registers: tuple[Records, Records]) -> tuple[Schema, Records, Records] | None:
    """The schema that is proposed for both registers, and these as they are read by it; None where none can be."""
    a, b = registers
    try:
        found = propose(a.columns, b.columns, name=f"world-{design.seed}", record_id=ROW, other_id=ROW)
    except SettingError:
        return None
    if found.other is None or not found.schema.blocking:
        return None
    # Numbers of rows do for ids: no order tells anything in a simulation.
    return found.schema, found.records, found.other


def _layer_r(design: Design, attributes: Sequence[Attribute], tokens: float, records: int) -> LayerR:
    if design.hardening == "protected":
        layer = protected(attributes, _positions(LENGTH, tokens, fill=HALF))
        return layer.model_copy(update={"key_bits": short_keys(records)})
    return LayerR(m=1024, h=_positions(1024, tokens), hardening=_HARDENINGS[design.hardening])


def keys_of(attributes: Sequence[str], most: int) -> tuple[BlockingKey, ...]:
    """The first so many keys whose attributes are all there."""
    fitting = [
        BlockingKey(fields=fields)
        for fields in _KEYS
        if all(field.removeprefix("soundex(").removesuffix(")") in attributes for field in fields)
    ]
    return tuple(fitting[:most])


def _tokens(name: str, registers: Sequence[Records]) -> float:
    """Bigrams of a typical value, padding included: one more than it has characters."""
    lengths = [
        len(value) + 1
        for records in registers
        for value, count in zip(records.columns[name].distinct, records.columns[name].counts().tolist(), strict=True)
        for value in [value] * min(count, 3)
        if value
    ]
    return float(np.mean(lengths)) if lengths else 8.0


def _positions(m: int, tokens: float, *, fill: float = WANTED_FILL) -> int:
    """Hash positions per token that fill this share of a filter of m bits."""
    return int(np.clip(round(m * log(1 / (1 - fill)) / max(tokens, 1)), 1, 128))
