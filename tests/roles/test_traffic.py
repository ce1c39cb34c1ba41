"""What goes over the wire in whole runs: consent, ledgers, determinism, and the network itself."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray
from small_project import SCHEMA, A, Traffic, ids, make_owner, make_review_unit, records, with_protocol
from whole_runs import SCALED, people, run, the_study

from unveil.engines.reference.engine import ReferenceEngine
from unveil.errors import LocalProtocolError, RemoteProtocolError, SettingError
from unveil.lab.simulation.reviewer import SimulatedReviewer
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.protocol.codec import encode
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import (
    ID,
    AttributeEncodings,
    AttributeValues,
    AttributeWish,
    EncodingWish,
    LinkTable,
    RecordEncodings,
    Refusal,
    ReviewTask,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address, owner
from unveil.roles.chance import SeededChance
from unveil.roles.owner.policy import ATTRIBUTE_LAYER, REVIEW_LAYER, Policy
from unveil.transport.memory import MemoryNetwork

NAMES = SCALED.names
Counts = NDArray[np.int64]


def split(column: bytes) -> list[bytes]:
    return [column[start : start + ID] for start in range(0, len(column), ID)]


def disclosed(traffic: Traffic, party: Address, n: int) -> tuple[Counts, Counts]:
    """How often each attribute of each record left this owner as an encoding and as a value, by the frames alone."""
    (upload,) = traffic.of(RecordEncodings, sender=party)
    row_of_handle = {handle: row for row, handle in enumerate(split(upload.handles))}
    row_of_pair, row_of_task = {}, {}
    for wish in traffic.of(EncodingWish, recipient=party):
        for pair, handle in zip(split(wish.pair_ids), split(wish.handles), strict=True):
            row_of_pair[pair] = row_of_handle[handle]
    for wish in traffic.of(AttributeWish, recipient=party):
        for task, pair in zip(split(wish.task_ids), split(wish.pair_ids), strict=True):
            row_of_task[task] = row_of_pair[pair]
    encodings, values = np.zeros((n, len(NAMES)), np.int64), np.zeros((n, len(NAMES)), np.int64)
    for answer in traffic.of(AttributeEncodings, sender=party):
        filters = np.frombuffer(answer.filters, "<u8").reshape(len(answer), len(NAMES), -1)
        filled = np.bitwise_count(filters).sum(axis=2) > 0
        for pair, attributes in zip(split(answer.pair_ids), filled, strict=True):
            encodings[row_of_pair[pair]] += attributes
    for answer in traffic.of(AttributeValues, sender=party):
        for task, given in zip(split(answer.task_ids), answer.values, strict=True):
            values[row_of_task[task]] += [bool(given.get(name)) for name in NAMES]
    return encodings, values


@pytest.fixture(scope="module")
def study() -> Study:
    return the_study()


@pytest.fixture(scope="module")
def choosy(study: Study) -> tuple[World, Traffic, NDArray[np.uint8]]:
    """A run in which a third of the records consents to each layer, and ZIP codes are never shown."""
    layers = np.random.default_rng(1).integers(1, 4, len(study.a)).astype(np.uint8)
    policies = (Policy(layers=layers, never=frozenset({"zip"})), Policy())
    traffic = Traffic()
    world = run(study, SCALED, SimulationSettings(t0=study.best[0], policies=policies), tap=traffic)
    return world, traffic, layers


def test_records_go_no_deeper_than_they_consent_to(choosy: tuple[World, Traffic, NDArray[np.uint8]]) -> None:
    """Read from the frames: a record of layer 1 in no attribute encoding, one of layer 2 in no values."""
    _, traffic, layers = choosy
    encodings, values = disclosed(traffic, A, len(layers))
    assert {2, 3} == set(layers[encodings.any(axis=1)].tolist())
    assert {3} == set(layers[values.any(axis=1)].tolist())
    assert sum(len(one) for one in traffic.of(Refusal, sender=A)) > 10


def test_attributes_that_must_never_be_shown_are_in_no_frame(
    choosy: tuple[World, Traffic, NDArray[np.uint8]],
) -> None:
    """The owner that said so sends none; the other one, asked for the same tasks, does."""
    _, traffic, _ = choosy
    shown = {
        name: Counter(key for one in traffic.of(AttributeValues, sender=owner(name)) for v in one.values for key in v)
        for name in ("a", "b")
    }
    assert (True, True) == (shown["a"]["zip"] == 0, shown["b"]["zip"] > 0)
    assert shown["a"]["city"] > 0


def test_ledgers_say_what_the_frames_say(choosy: tuple[World, Traffic, NDArray[np.uint8]]) -> None:
    """For both owners and both layers, record by record and attribute by attribute."""
    world, traffic, layers = choosy
    for party in world.owners:
        for layer, counts in zip(
            (ATTRIBUTE_LAYER, REVIEW_LAYER), disclosed(traffic, party.address, len(layers)), strict=True
        ):
            assert counts.sum() == party.ledger.disclosures(layer) > 0
            assert (counts > 0).tolist() == party.ledger.disclosed(layer).tolist()


def test_values_are_sent_only_where_the_task_shows_them(choosy: tuple[World, Traffic, NDArray[np.uint8]]) -> None:
    """What was asked for is what the reviewer's task calls shown; nothing else ever left as plaintext."""
    _, traffic, _ = choosy
    shown = {
        task: {name for name, state in zip(NAMES, one.states[i * 7 : i * 7 + 7], strict=True) if state == 3}
        for one in traffic.of(ReviewTask)
        for i, task in enumerate(split(one.task_ids))
    }
    sent = [
        (task, v)
        for one in traffic.of(AttributeValues)
        for task, v in zip(split(one.task_ids), one.values, strict=True)
    ]
    assert len(sent) > 20
    assert all(set(values) <= shown[task] for task, values in sent)


@pytest.mark.slow
def test_no_value_and_no_key_is_in_any_frame_but_the_plaintext_one(study: Study) -> None:
    """Distinct city names of the people, searched for in all other frames."""
    traffic = Traffic()
    run(study, SCALED, tap=traffic)
    cities = {value.encode() for value in study.a.columns["city"].distinct if len(value) > 6}
    others = [frame for _, target, frame in traffic.frames if target != REVIEW_UNIT]
    seen = b"".join(frame for _, target, frame in traffic.frames if target == REVIEW_UNIT)
    assert any(city in seen for city in cities)
    assert not any(city in frame for frame in others for city in cities)


def test_ids_of_the_layers_cannot_be_joined(study: Study) -> None:
    """Handles, pair ids, task ids and link ids have nothing in common."""
    traffic = Traffic()
    run(study, SCALED, tap=traffic)
    kinds = [
        {one for m in traffic.of(RecordEncodings) for one in split(m.handles)},
        {one for m in traffic.of(EncodingWish) for one in split(m.pair_ids)},
        {one for m in traffic.of(ReviewTask) for one in split(m.task_ids)},
        {one for m in traffic.of(LinkTable) for one in split(m.link_ids)},
    ]
    assert all(kinds)
    assert sum(map(len, kinds)) == len(set().union(*kinds))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_run_to_the_last_byte(study: Study) -> None:
    """Points, link tables and every frame; another seed gives another run."""
    runs = []
    for seed in (1, 1, 2):
        traffic = Traffic()
        world = run(study, SCALED, SimulationSettings(seed=seed, error=0.1, t0=study.best[0]), tap=traffic)
        runs.append((world.points, [party.link_ids for party in world.owners], traffic.frames, people(world)))
    assert runs[0] == runs[1]
    assert all(one != other for one, other in zip(runs[0][:3], runs[2][:3], strict=True))


@pytest.mark.parametrize("empty", ["a", "b", "both"])
def test_an_owner_without_records_ends_the_run_with_empty_hands(empty: str) -> None:
    """Nothing is found, and nobody waits for ever."""
    nobody, somebody = records({name: [] for name in SCHEMA.names}), records()
    a, b = (nobody if empty in (side, "both") else somebody for side in ("a", "b"))
    study = Study("empty", SCHEMA, a, b, np.empty((0, 2), np.int64), ReferenceEngine())
    world = World(study, SCHEMA, SimulationSettings())
    world.run()
    assert [len(a), len(b)] == [len(party.link_ids) for party in world.owners]
    assert 1 + len(SCHEMA.protocol.batches) == len(world.points)


def test_a_schema_without_blocking_compares_all_pairs() -> None:
    """The same people on both sides: everybody is found, and pair completeness is 1 by definition."""
    schema = with_protocol(SCHEMA.model_copy(update={"blocking": ()}), layers=1)
    truth = np.stack([np.arange(6), np.arange(6)], axis=1)
    study = Study("all", schema, records(), records(), truth, ReferenceEngine())
    world = World(study, schema, SimulationSettings())
    world.run()
    assert (36, 1.0, 1.0) == (study.comparison.compared, study.pairs_completeness, world.points[-1].recall)


def test_the_network_delivers_in_order_and_counts() -> None:
    """First in, first out; every message is written to bytes and read back."""
    unit, traffic = make_review_unit(), Traffic()
    receive(unit, Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, ReviewTask(3, ids(1, 2), bytes(6), bytes(6))))
    network = MemoryNetwork({REVIEW_UNIT: unit}, tap=traffic)
    messages = [Envelope(A, REVIEW_UNIT, Refusal(ids(number))) for number in (1, 2)]
    network.send(messages)
    assert messages == [network.deliver(), network.deliver()]
    assert network.deliver() is None
    flow = ("owner", "review unit", "Refusal")
    assert ({flow: 2}, {flow: 2 * len(encode(Refusal(ids(1))))}) == (network.messages, network.bytes)
    assert [(A, REVIEW_UNIT, encode(one.message)) for one in messages] == traffic.frames


def test_the_network_sends_nothing_that_the_table_does_not_allow() -> None:
    """Our own mistake is stopped before anything is on the wire."""
    network = MemoryNetwork({A: make_owner()})
    with pytest.raises(LocalProtocolError):
        network.send([Envelope(A, RECORD_UNIT, Refusal(ids(1)))])
    assert network.deliver() is None


def test_a_message_that_is_refused_is_gone() -> None:
    """The error reaches whoever drives the network, and the next message is delivered."""
    unit = make_review_unit()
    receive(unit, Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, ReviewTask(3, ids(1, 2), bytes(6), bytes(6))))
    network = MemoryNetwork({REVIEW_UNIT: unit})
    network.send([Envelope(A, REVIEW_UNIT, Refusal(ids(1, 1))), Envelope(A, REVIEW_UNIT, Refusal(ids(2)))])
    with pytest.raises(RemoteProtocolError):
        network.deliver()
    assert network.deliver() is not None
    assert network.deliver() is None


@pytest.mark.parametrize("error", [-0.1, 1.1])
def test_a_reviewers_error_is_a_share(error: float) -> None:
    """A percentage would be a slip."""
    with pytest.raises(SettingError):
        SimulatedReviewer(lambda _: True, error=error, chance=SeededChance(1, "reviewer"))
