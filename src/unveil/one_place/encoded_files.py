"""Two files of encodings, linked by the record unit's machine alone: models instead of a threshold, nothing opened."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
from pydantic import ValidationError

from unveil.errors import SettingError
from unveil.files.encoded import UNVEIL, Encodings
from unveil.interop.blocks import KIND
from unveil.linkage.engine import Compare
from unveil.models.choice import assessor, record_model
from unveil.one_place.linked import OWNERS
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import ID, Fingerprint, RecordEncodings
from unveil.protocol.roles import RECORD_UNIT, Address
from unveil.roles.chance import SeededChance
from unveil.roles.record_unit.link_tables import no_results
from unveil.roles.record_unit.machine import RecordUnit
from unveil.schema import Attribute, BlockingKey, Schema
from unveil.schema.definition import LayerR
from unveil.schema.presets import with_preset
from unveil.screening.screen import screen

#: What is drawn hides nothing here, where one place holds all: from a seed, the same files give the same links.
SEED: Final = 1
PRESET: Final = "unveil"
#: Of one's own register every record may resemble another, as where each person was entered twice.
SCREEN: Final = partial(screen, resembling=1.0)
_PART: Final = 50_000  # records of one message


def check_alike(left: Encodings, right: Encodings) -> None:
    """SettingError for encodings made under other keys or parameters: they look like random bits to each other."""
    _check_origins(left, right)
    shown = {side.metadata.get("fingerprint") for side in (left, right)}
    if left.origin != UNVEIL:
        shown.discard(None)  # other tools do not say under which key they encoded
    if len(shown) > 1 or left.m != right.m or left.blocking.shape[1] != right.blocking.shape[1]:
        raise SettingError(
            "the two files were encoded with different keys, projects or schemas",
            hint="unveil encode prints a fingerprint: both owners' must be the same",
        )


def _check_origins(left: Encodings, right: Encodings) -> None:
    """SettingError for encodings of two tools: their bits stand for other things, whatever order they are in."""
    if left.origin != right.origin:
        raise SettingError(
            f"the first file holds encodings of {left.origin}, and the second one of {right.origin}: "
            "they have nothing in common, even of the same person",
            hint="encode both files with the same tool (unveil encode --clkhash-schema makes the CLKs of clkhash); if "
            "one of them only came by way of another tool's format, convert it again with --origin",
        )
    if left.metadata.get(KIND) != right.metadata.get(KIND):
        raise SettingError(
            "one of the files has blocks of another tool, and the other has none of them",
            hint="convert both with their blocks, or both with --no-blocks",
        )


def schema_of(file: Encodings) -> Schema:
    """The schema behind a file of encodings, as far as it says: attributes by name, keys, filters, shipped models."""
    keys = file.blocking.shape[1]
    names = [name for name in file.metadata.get("attributes", "").split(",") if name]
    fields = [tuple(key.split("+")) for key in file.metadata.get("blocking", "").split(";") if key]
    if len(fields) != keys:  # a file that others wrote: its keys have the names of their columns
        fields, names = [(f"block_{key}",) for key in range(keys)], [f"block_{key}" for key in range(keys)]
    try:
        layer = LayerR.model_validate_json(file.metadata.get("encoding", "{}"))
        if layer.length != file.m:
            layer = LayerR(m=file.m)
        schema = Schema(
            name="encodings",
            attributes=tuple(Attribute(name=name) for name in names or ["record"]),
            blocking=tuple(BlockingKey(fields=one) for one in fields),
            layer_r=layer,
        )
    except ValidationError:
        raise SettingError(
            f"a file of encodings of {file.m} bits does not say how it was made",
            hint="encode the records again with unveil encode, or link by --threshold",
        ) from None
    return with_preset(schema, PRESET, layers=1)


def record_unit_on(left: Encodings, right: Encodings, schema: Schema, *, compare: Compare) -> RecordUnit:
    """The record unit after it has linked two files that were encoded alike, by the shipped models."""
    model, features = record_model(schema)
    unit = RecordUnit(
        schema,
        OWNERS,
        compare=compare,
        chance=SeededChance(SEED, "record unit"),
        model=model,
        features=features,
        assessor=assessor(schema),
        most_records=max(len(left), len(right)),
        screening=SCREEN,
        tables=no_results,
    )
    for address in OWNERS:
        receive(unit, Envelope(address, RECORD_UNIT, Fingerprint(bytes(ID))))
    for address, side in zip(OWNERS, (left, right), strict=True):
        for part in _parts(address, side, schema):
            receive(unit, Envelope(address, RECORD_UNIT, part))
    check_set_aside(unit)
    return unit


def check_set_aside(unit: RecordUnit) -> None:
    """SettingError if the unit has set a whole file aside."""
    for address, found in unit.intake.kept_out.items():
        if found.set_aside is not None:
            which = "first" if address == OWNERS[0] else "second"
            raise SettingError(
                f"most records of the {which} file cannot be compared: {found.set_aside.why}",
                hint="look at the data: empty rows, test entries, one person many times; a schema that leaves too "
                "little of each record",
            )


def _parts(address: Address, side: Encodings, schema: Schema) -> Iterator[RecordEncodings]:
    """The upload of an owner, in the order of its file: handles rise along it, so that rows stay what they are."""
    handles = np.frombuffer(SeededChance(SEED, str(address))("handles").handles(len(side)), np.uint8).reshape(-1, ID)
    upload = hashlib.sha256(str(address).encode()).digest()[:ID]
    filters = np.ascontiguousarray(side.filters, dtype="<u8")
    parts = max(1, -(-len(side) // _PART))
    for part in range(parts):
        some = slice(part * _PART, (part + 1) * _PART)
        yield RecordEncodings(
            upload=upload,
            part=part,
            parts=parts,
            m=side.m,
            blocking_keys=len(schema.blocking),
            handles=handles[some].tobytes(),
            filters=filters[some].tobytes(),
            blocking=side.blocking[some].tobytes(),
        )
