"""Owners whose parameters differ in anything find out before a single record is uploaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest
from owner_hosts import KEY, invented
from pydantic import BaseModel

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.linkage.engine import Encoded
from unveil.linkage.pairs import Comparison
from unveil.models.threshold import ThresholdModel
from unveil.protocol.machine import receive, settle
from unveil.protocol.messages import Agreement, Fingerprint, RecordEncodings
from unveil.protocol.roles import owner
from unveil.roles.chance import SeededChance
from unveil.roles.owner.machine import Owner
from unveil.roles.record_unit.machine import RecordUnit
from unveil.schema import Attribute, Hardening, Schema, built_in
from unveil.settings.choices import rows_of

A, B = owner("a"), owner("b")
BASE = built_in()
BASE = BASE.model_copy(
    update={
        "layer_r": BASE.layer_r.model_copy(
            update={"hardening": (Hardening(method="diffusion", t=3, m=2048, by=("year_of_birth",)),)}
        ),
        "protocol": BASE.protocol.model_copy(
            update={"review": BASE.protocol.review.model_copy(update={"learn_lower": 0.6})}
        ),
    }
)
#: Each owner's own affair: the same people may stand in files that look different.
OWN = {"input.id", "input.other_ids", "attributes.column", "attributes.other_columns"}


def changes(model: BaseModel, path: str = "") -> Iterator[tuple[str, BaseModel]]:
    """The model with one thing changed, for every thing that there is, and where it is."""
    for name, info in type(model).model_fields.items():
        value = getattr(model, name)
        for place, other in others(value, (info.annotation, *info.metadata), f"{path}.{name}".strip(".")):
            yield place, model.model_copy(update={name: other})


def others(value: Any, annotation: tuple[Any, ...], path: str) -> Iterator[tuple[str, Any]]:
    """Other values for a field with this type and metadata."""
    if isinstance(value, BaseModel):
        yield from changes(value, path)
    elif isinstance(value, tuple):
        for at, one in enumerate(value):
            inner = (get_args(annotation[0]) or (None,))[0]
            for place, other in others(one, (inner, *get_args(inner)), path):
                yield place, (*value[:at], other, *value[at + 1 :])
        yield path, value[:-1] if value else (value,)
        if len(set(map(str, value))) > 1:
            yield path, value[::-1]
    else:
        yield path, other_than(value, annotation)


def other_than(value: Any, annotation: tuple[Any, ...]) -> Any:
    """A value that differs as little as possible."""
    parts = [*annotation, *get_args(annotation[0])]
    choices = [one for part in parts if get_origin(part) is Literal for one in get_args(part)]
    choices += rows_of(annotation) or ()
    choices += [row for part in get_args(annotation[0]) for row in rows_of(get_args(part)) or ()]
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return float(np.nextafter(value, 1))
        case str() if choices:
            return next(one for one in choices if one != value)
        case str():
            return value + "x"
        case None:
            return choices[0] if choices else 1
    raise AssertionError(type(value))


CHANGES = list(changes(BASE))


def uploads(ours: Encoder, theirs: Encoder, schema: Schema, other: Schema) -> tuple[set[int], int]:
    """What two owners are told, and how many messages with records they send."""
    owners = [
        Owner(name, invented(used, 3), used, encoder, chance=SeededChance(1, str(name)))
        for name, used, encoder in ((A, schema, ours), (B, other, theirs))
    ]
    unit = RecordUnit(
        schema,
        (A, B),
        compare=_never,
        chance=SeededChance(1, "record unit"),
        model=ThresholdModel.start(schema.protocol.threshold),
    )
    waiting = [message for one in owners for message in settle(one)]
    told: set[int] = set()
    sent = 0
    while waiting:
        envelope = waiting.pop(0)
        if isinstance(envelope.message, RecordEncodings):
            sent += 1
            continue
        assert isinstance(envelope.message, Fingerprint | Agreement)
        if isinstance(envelope.message, Agreement):
            told.add(envelope.message.agree)
        to = unit if envelope.recipient == unit.address else owners[envelope.recipient == B]
        waiting += receive(to, envelope)
    return told, sent


def _never(_left: Encoded, _right: Encoded, /, **_: object) -> Comparison:
    raise AssertionError("nothing is compared before it is agreed on")


def test_the_walk_reaches_every_setting() -> None:
    """Whoever adds a setting to the schema need not come by here; this shows that it is walked."""
    places = {place for place, _ in CHANGES}
    assert len(places) > 50
    assert {"name", "attributes.h", "layer_r.hardening.t", "layer_a.m", "protocol.decoys", "blocking.fields",
            "protocol.review.learn_lower", "protocol.frequency.bounds", "version"} <= places  # fmt: skip
    assert {f"attributes.{name}" for name in Attribute.model_fields} <= places


def test_equal_parameters_agree_and_upload() -> None:
    """The control."""
    encoder = Encoder(BASE, KEY, project="p")
    assert ({1}, 2) == uploads(encoder, encoder, BASE, BASE)


@pytest.mark.parametrize("place", sorted({place for place, _ in CHANGES}))
def test_every_change_of_a_setting_is_caught(place: str) -> None:
    """Nothing is uploaded; names of columns are no parameters."""
    for where, other in CHANGES:
        if where == place:
            assert isinstance(other, Schema)
            expected = ({1}, 2) if place in OWN else ({0}, 0)
            ours, theirs = (Encoder(schema, KEY, project="p") for schema in (BASE, other))
            assert expected == uploads(ours, theirs, BASE, other)


@pytest.mark.parametrize("bit", range(0, 256, 5))
def test_every_change_of_the_key_is_caught(bit: int) -> None:
    """A single bit."""
    flipped = (int.from_bytes(KEY.secret, "big") ^ 1 << bit).to_bytes(32, "big")
    ours, theirs = (Encoder(BASE, key, project="p") for key in (KEY, OwnerKey(flipped)))
    assert ({0}, 0) == uploads(ours, theirs, BASE, BASE)


@pytest.mark.parametrize("project", ["P", "p ", "pp", "q"])
def test_every_change_of_the_project_is_caught(project: str) -> None:
    """Keys follow from the project's name."""
    ours, theirs = (Encoder(BASE, KEY, project=name) for name in ("p", project))
    assert ({0}, 0) == uploads(ours, theirs, BASE, BASE)


def test_the_fingerprint_tells_nothing_without_the_key() -> None:
    """The schema is public; its fingerprint under another key has nothing in common with this one."""
    found = {Encoder(BASE, OwnerKey(bytes([n]) * 32), project="p").fingerprint() for n in range(256)}
    assert 256 == len(found)
    assert bytes.fromhex(BASE.fingerprint())[:16] not in found
    bits = np.unpackbits(np.array([list(one) for one in found], np.uint8), axis=1).mean(axis=0)
    assert (abs(bits - 0.5) < 0.16).all()  # five standard deviations
