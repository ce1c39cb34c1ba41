"""Decoys: being asked for must not mean being uncertain, nor may the names of attributes tell which are alike."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from small_project import OWNERS, A, Traffic, with_protocol
from whole_runs import PERSON, study_of

from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.linkage.shown import SHOWN
from unveil.protocol.codec import decode
from unveil.protocol.flows import Envelope
from unveil.protocol.messages import (
    ID,
    AttributeValues,
    AttributeWish,
    BatchLearnt,
    Bootstrap,
    EncodingWish,
    ReviewTask,
)
from unveil.protocol.roles import REVIEW_UNIT
from unveil.roles.chance import SeededChance

P_T = PERSON.protocol.p_t
#: A wide band, so that there are enough uncertain pairs, and a low floor, so that there are enough certain ones.
PLAIN = with_protocol(
    PERSON,
    batches=(60, 60, 150),
    floor=0.3,
    threshold_below=0.12,
    threshold_above=0.25,
    review_budget=40,
    forest_initial=5,
    forest_added=5,
    forest_cap=30,
)
DECOYS = with_protocol(PLAIN, decoys=0.2)
WIDTH = len(PERSON.attributes)


@cache
def study() -> Study:
    """3,000 people a side: thousands of candidates, most of them certain."""
    return study_of(PLAIN, records=3000)


@cache
def run(share: float) -> tuple[World, Traffic]:
    traffic = Traffic()
    world = World(study(), with_protocol(PLAIN, decoys=share), SimulationSettings(t0=study().best[0]), tap=traffic)
    world.run()
    return world, traffic


def split(column: bytes, width: int = ID) -> list[bytes]:
    return [column[start : start + width] for start in range(0, len(column), width)]


def batches(traffic: Traffic) -> list[dict[bytes, float]]:
    """How sure the record unit was of each pair of a batch."""
    return [
        dict(zip(split(one.pair_ids), np.frombuffer(one.p, "<f8").tolist(), strict=True))
        for one in traffic.of(Bootstrap)
    ]


def test_there_are_enough_certain_pairs_here() -> None:
    """Else the figures below would be those of a shortage."""
    world, _ = run(0.2)
    layer = world.record_unit.layer
    assert (~layer.asked & (layer.p > P_T)).sum() > 300


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_every_wish_has_a_hundred_entries(share: float) -> None:
    """The number of entries must not tell how many pairs are uncertain."""
    _, traffic = run(share)
    for party in OWNERS:
        assert {100} == {len(wish) for wish in traffic.of(EncodingWish, recipient=party)}
    assert {0} == {len(batch) % 100 for batch in batches(traffic)}


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_at_least_the_share_of_each_batch_is_certain(share: float) -> None:
    """And the uncertain ones are all there that the schedule asks for."""
    _, traffic = run(share)
    for size, batch in zip(PLAIN.protocol.batches, batches(traffic), strict=True):
        uncertain = sum(p < P_T for p in batch.values())
        assert size == uncertain
        assert sum(p > P_T for p in batch.values()) == len(batch) - uncertain >= share * len(batch)


def test_decoys_are_certain_matches_and_certain_non_matches() -> None:
    """Drawn at random among the certain: those of one kind alone would tell what they are."""
    _, traffic = run(0.5)
    g = {
        word
        for one in traffic.of(Bootstrap)
        for word, p in zip(one.g, np.frombuffer(one.p, "<f8").tolist(), strict=True)
        if p > P_T
    }
    assert {0, 1} == g


def test_the_order_of_a_wish_is_not_that_of_p() -> None:
    """Neither ascending, nor uncertain pairs first, nor the same for both owners."""
    _, traffic = run(0.2)
    p = {pair: sure for batch in batches(traffic) for pair, sure in batch.items()}
    orders = [[split(wish.pair_ids) for wish in traffic.of(EncodingWish, recipient=party)] for party in OWNERS]
    assert len(orders[0]) > 3
    for wish in orders[0] + orders[1]:
        sure = np.array([p[pair] for pair in wish])
        assert 0.35 > abs(np.corrcoef(np.arange(len(sure)), sure)[0, 1])
        certain = np.flatnonzero(sure > P_T)
        assert certain.min() < len(wish) / 3 < 2 * len(wish) / 3 < certain.max()
    assert sorted(pair for wish in orders[0] for pair in wish) == sorted(pair for wish in orders[1] for pair in wish)
    assert not any(one == other for one, other in zip(*orders, strict=True))


def test_no_pair_is_wished_for_twice() -> None:
    """A decoy that comes again would be known as one."""
    world, traffic = run(0.5)
    wished = [pair for wish in traffic.of(EncodingWish, recipient=A) for pair in split(wish.pair_ids)]
    positions = [world.record_unit.position_of(pair) for pair in wished]
    assert len(positions) == len(set(positions)) > 500


def test_wishes_for_values_name_attributes_that_are_not_needed() -> None:
    """Every attribute to be shown is asked for, the same of both owners, and about a fifth of the others too."""
    _, traffic = run(0.2)
    shown = {
        task: np.frombuffer(states, np.uint8) == SHOWN
        for one in traffic.of(ReviewTask)
        for task, states in zip(split(one.task_ids), split(one.states, WIDTH), strict=True)
    }
    asked = [
        {
            task: np.frombuffer(marks, np.uint8).astype(bool)
            for wish in traffic.of(AttributeWish, recipient=party)
            for task, marks in zip(split(wish.task_ids), split(wish.asked, WIDTH), strict=True)
        }
        for party in OWNERS
    ]
    assert {task: marks.tolist() for task, marks in asked[0].items()} == {t: m.tolist() for t, m in asked[1].items()}
    assert set(shown) == set(asked[0])
    assert all(asked[0][task][marks].all() for task, marks in shown.items())
    others = np.concatenate([asked[0][task][~marks] for task, marks in shown.items()])
    assert abs(others.mean() - 0.2) < 5 * np.sqrt(0.2 * 0.8 / len(others))


def test_the_review_unit_keeps_no_value_that_a_decoy_brought() -> None:
    """What is kept of the message is what is shown; owners did send more, and none of it is in the machine."""
    world, traffic = run(0.2)
    unit = type(world.review_unit)(DECOYS, OWNERS, chance=SeededChance(1, "review unit"))
    dropped = 0
    for sender, recipient, frame in traffic.frames:
        if recipient != REVIEW_UNIT or isinstance(decode(frame), BatchLearnt):
            continue  # here nobody labels, so that nothing was learnt of labels
        envelope = Envelope(sender, recipient, decode(frame))
        if isinstance(envelope.message, BatchLearnt):  # about verdicts, which nobody gives here
            continue
        kept = unit.admit(envelope).message
        unit.apply(unit.admit(envelope))
        if isinstance(envelope.message, ReviewTask):
            shown = {
                task: {name for name, state in zip(DECOYS.names, states, strict=True) if state == SHOWN}
                for task, states in zip(
                    split(envelope.message.task_ids), split(envelope.message.states, WIDTH), strict=True
                )
            }
        elif isinstance(envelope.message, AttributeValues):
            assert isinstance(kept, AttributeValues)
            for task, before, after in zip(split(kept.task_ids), envelope.message.values, kept.values, strict=True):
                assert set(after) <= shown[task]
                assert {name: value for name, value in before.items() if name in shown[task]} == after
                dropped += len(before) - len(after)
    assert dropped > 20


def test_owners_are_charged_for_decoys_too() -> None:
    """The value has left, whatever the review unit does with it; nobody at the owner can tell the difference."""
    (plain, _), (more, traffic) = run(0.0), run(0.2)
    values = sum(
        bool(value) for one in traffic.of(AttributeValues, sender=A) for held in one.values for value in held.values()
    )
    assert values == more.owners[0].ledger.disclosures(3) > plain.owners[0].ledger.disclosures(3)


def test_without_decoys_wishes_are_what_is_needed_and_no_more() -> None:
    """Only uncertain pairs, and only attributes that are shown."""
    _, traffic = run(0.0)
    assert [60, 60, 150] == [len(batch) for batch in batches(traffic)]
    assert all(p < P_T for batch in batches(traffic) for p in batch.values())
    asked = {
        (task, marks)
        for wish in traffic.of(AttributeWish, recipient=A)
        for task, marks in zip(split(wish.task_ids), split(wish.asked, WIDTH), strict=True)
    }
    needed = {
        (task, bytes(state == SHOWN for state in states))
        for one in traffic.of(ReviewTask)
        for task, states in zip(split(one.task_ids), split(one.states, WIDTH), strict=True)
    }
    assert needed == asked
