"""A project small enough to be driven by hand: three attributes, a few invented people, and machines made ready."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import pytest

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.engines.reference.engine import ReferenceEngine
from unveil.errors import RemoteProtocolError
from unveil.joining.terms import BY_OWNERS, JoinTerms
from unveil.linkage.engine import comparing
from unveil.models.choice import assessor, attribute_model, record_model
from unveil.models.forest import Forest
from unveil.protocol.codec import decode
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Machine, receive, settle
from unveil.protocol.messages import ID, Agreement, Message, RecordEncodings
from unveil.protocol.roles import RECORD_UNIT, Address, owner
from unveil.records import Column, Records
from unveil.roles.attribute_unit.machine import AttributeUnit
from unveil.roles.chance import Chance, SeededChance
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Policy
from unveil.roles.record_unit.machine import RecordUnit
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.roles.review_unit.opinions import ONE_OPINION, OpinionTerms
from unveil.schema import (
    Attribute,
    BlockingKey,
    ForestSettings,
    ProtocolSettings,
    ReviewSettings,
    Schema,
    ThresholdSettings,
)
from unveil.screening.screen import Screen, screen

A, B, STRANGER = owner("a"), owner("b"), owner("c")
OWNERS = (A, B)
SCHEMA = Schema(
    name="small",
    attributes=(
        Attribute(name="first_name", frequency=True, when_missing="zero"),
        Attribute(name="last_name", frequency=True),
        Attribute(name="zip"),
    ),
    blocking=(BlockingKey(fields=("last_name",)),),
    protocol=ProtocolSettings(
        batches=(3, 2),
        threshold=ThresholdSettings(t=0.7),
        forest=ForestSettings(initial=2, added=2, cap=6),
        review=ReviewSettings(budget=4, batches=4, rounds=2),
    ),
)
NAMES = SCHEMA.names
KEY = b"an invented owner key, 32 bytes."
PEOPLE = {
    "first_name": ["ann", "bob", "cleo", "", "eve", "ann"],
    "last_name": ["north", "east", "south", "west", "west", "north"],
    "zip": ["10001", "10002", "", "10004", "10005", "10006"],
}


def with_protocol(schema: Schema, **changes: object) -> Schema:
    """The schema with other protocol settings; `review_` and `threshold_` reach into these parts."""
    flat: dict[str, Any] = {}
    for part in ("review", "threshold", "forest"):
        inner = {key.removeprefix(f"{part}_"): value for key, value in changes.items() if key.startswith(f"{part}_")}
        if inner:
            flat[part] = getattr(schema.protocol, part).model_copy(update=inner)
    flat |= {key: value for key, value in changes.items() if not key.startswith(("review_", "threshold_", "forest_"))}
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update=flat)})


#: For owners that are asked by hand, more often than the small project would ask.
ROOMY = with_protocol(
    SCHEMA, batches=(20_000,), pairs_per_record=20_000, review_budget=20_000, review_batches=1, review_rounds=1
)


def records(columns: Mapping[str, Sequence[str]] = PEOPLE) -> Records:
    n = len(next(iter(columns.values())))
    return Records([str(i) for i in range(n)], {name: Column.of(values) for name, values in columns.items()})


def make_owner(
    address: Address = A,
    *,
    policy: Policy | None = None,
    schema: Schema = SCHEMA,
    of: Records | None = None,
    key: bytes = KEY,
    chance: Chance | None = None,
    joining: JoinTerms = BY_OWNERS,
) -> Owner:
    encoder = Encoder(schema, OwnerKey(key), project="small")
    return Owner(
        address,
        records() if of is None else of,
        schema,
        encoder,
        policy=policy,
        chance=chance or SeededChance(1, str(address)),
        joining=joining,
    )


def make_introduced_owner(
    address: Address = A,
    *,
    policy: Policy | None = None,
    schema: Schema = ROOMY,
    of: Records | None = None,
    joining: JoinTerms = BY_OWNERS,
) -> Owner:
    """An owner whose records have handles: the fingerprint is out."""
    party = make_owner(address, policy=policy, schema=schema, of=of, joining=joining)
    settle(party)
    return party


def uploaded(party: Owner) -> list[RecordEncodings]:
    """The parts that the owner sends when it is told to go on."""
    out = receive(party, Envelope(RECORD_UNIT, party.address, Agreement(1, party._presented)))
    return [message for message in sent(out, RECORD_UNIT) if isinstance(message, RecordEncodings)]


def handles(party: Owner) -> list[bytes]:
    """The handles of the owner's records, by row."""
    assert party._handles is not None
    column = party._handles.column
    return [column[start : start + ID] for start in range(0, len(column), ID)]


def make_record_unit(
    schema: Schema = SCHEMA,
    *,
    chance: Chance | None = None,
    most_records: int = 1000,
    screening: Screen = screen,
    joining: JoinTerms = BY_OWNERS,
    assessed: bool = False,
) -> RecordUnit:
    protocol = schema.protocol
    compare = comparing(ReferenceEngine(), floor=protocol.floor, max_block=protocol.max_block)
    model, features = record_model(schema)
    return RecordUnit(
        schema,
        OWNERS,
        compare=compare,
        chance=chance or SeededChance(1, "record unit"),
        model=model,
        features=features,
        assessor=assessor(schema) if assessed else None,
        joining=joining,
        most_records=most_records,
        screening=screening,
    )


def make_attribute_unit(schema: Schema = SCHEMA, *, chance: Chance | None = None) -> AttributeUnit:
    model, features = attribute_model(schema)
    chance = chance or SeededChance(1, "attribute unit")
    return AttributeUnit(schema, OWNERS, chance=chance, model=model, features=features)


def make_review_unit(schema: Schema = SCHEMA, *, terms: OpinionTerms = ONE_OPINION) -> ReviewUnit:
    return ReviewUnit(schema, OWNERS, chance=SeededChance(1, "review unit"), terms=terms)


def ids(*numbers: int) -> bytes:
    """A column of ids."""
    return b"".join(number.to_bytes(ID, "big") for number in numbers)


def reals(*values: float) -> bytes:
    return np.array(values, "<f8").tobytes()


def state_of(thing: Any) -> Any:  # noqa: PLR0911 - whatever a machine holds
    """All that a machine holds, as values that can be compared."""
    match thing:
        case None | bool() | int() | float() | str() | bytes() | Enum() | type():
            return thing
        case np.ndarray():
            return (str(thing.dtype), thing.shape, thing.tobytes())
        case np.generic():
            return thing.item()
        case np.random.Generator():
            return repr(thing.bit_generator.state)
        case dict():
            return [(state_of(key), state_of(value)) for key, value in thing.items()]
        case set() | frozenset():
            return sorted(map(repr, thing))
        case list() | tuple() | deque():
            return [state_of(entry) for entry in thing]
    if hasattr(thing, "__code__"):  # a function
        return id(thing)
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    held = {name: getattr(thing, name) for name in slots if hasattr(thing, name)} | getattr(thing, "__dict__", {})
    return (type(thing).__name__, state_of(held))


def refuses(machine: Machine, envelope: Envelope, because: str) -> None:
    """The machine refuses this message for this reason, names its sender, and nothing in it has changed."""
    before = state_of(machine)
    with pytest.raises(RemoteProtocolError, match=because) as error:
        receive(machine, envelope)
    assert (str(envelope.sender), type(envelope.message).__name__) == (error.value.sender, error.value.kind)
    assert before == state_of(machine)


def sent(envelopes: Iterable[Envelope], recipient: Address | None = None) -> list[Message]:
    """The messages, or those to one party."""
    return [one.message for one in envelopes if recipient is None or one.recipient == recipient]


class Traffic:
    """A tap: every frame that went over the wire."""

    def __init__(self) -> None:
        self.frames: list[tuple[Address, Address, bytes]] = []

    def __call__(self, sender: Address, recipient: Address, frame: bytes) -> None:
        """Note a frame."""
        self.frames.append((sender, recipient, frame))

    def of(self, *kinds: type[Message], sender: Address | None = None, recipient: Address | None = None) -> list[Any]:
        """The messages of these kinds (all if none is named), in order, perhaps only those between certain parties."""
        return [
            message
            for source, target, frame in self.frames
            if sender in (None, source) and recipient in (None, target)
            for message in (decode(frame),)
            if not kinds or isinstance(message, kinds)
        ]


def forest_of(unit: AttributeUnit) -> Forest:
    """The forest that the unit decides with."""
    assert isinstance(unit.layer.model, Forest)
    return unit.layer.model
