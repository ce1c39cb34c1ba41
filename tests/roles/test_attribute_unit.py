from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from asked_attribute_unit import (
    DOUBTFUL,
    DOUBTING,
    FULL,
    HALF,
    NONE,
    OTHER,
    PAIRS,
    TWO_LAYERS,
    announced,
    answer,
    asked,
    asking,
    labels,
    refusal,
    split,
    verdict,
)
from small_project import (
    NAMES,
    OWNERS,
    SCHEMA,
    STRANGER,
    A,
    B,
    forest_of,
    ids,
    make_attribute_unit,
    refuses,
    sent,
    with_protocol,
)

from unveil.errors import TooEarly
from unveil.linkage.shown import DISSIMILAR, EQUAL, MISSING, SHOWN
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import (
    ID,
    AttributeEncodings,
    AttributeWish,
    BatchLearnt,
    EncodingWish,
    ReviewTask,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT
from unveil.roles.attribute_unit.answers import PairAnswers


def test_a_batch_is_worked_on_when_both_owners_have_answered_every_pair() -> None:
    """Nothing is reported before; then each answered pair has an outcome."""
    unit = make_attribute_unit(TWO_LAYERS)
    assert [] == receive(unit, announced([1, 2]))
    assert [] == receive(unit, answer(A, [1, 2]))
    assert [] == receive(unit, answer(B, [2]))
    found = labels(receive(unit, answer(B, [1])))
    assert {ids(1), ids(2)} == set(found)
    assert all(g == 1 and 0.5 <= p < 1 for g, p in found.values())


def test_answers_before_the_announcement_may_come_again_later() -> None:
    """The network promises no order between parties; but what nobody asked for could fill the unit without bound."""
    early, late = make_attribute_unit(TWO_LAYERS), make_attribute_unit(TWO_LAYERS)
    for envelope in (answer(A, [1]), refusal(B, [2])):
        with pytest.raises(TooEarly, match="not announced"):
            receive(early, envelope)
    receive(early, announced([1, 2]))
    receive(early, answer(A, [1]))
    receive(early, refusal(B, [2]))
    receive(early, answer(B, [1]))
    out_early = receive(early, answer(A, [2]))
    receive(late, announced([1, 2]))
    receive(late, answer(A, [1, 2]))
    receive(late, refusal(B, [2]))
    out_late = receive(late, answer(B, [1]))
    assert out_late == out_early
    assert [ids(1)] == list(labels(out_early))


def test_similarities_are_per_attribute_and_the_filters_are_forgotten() -> None:
    """What stays is a number per attribute, never an encoding."""
    unit = make_attribute_unit(TWO_LAYERS)
    receive(unit, announced([1, 2]))
    receive(unit, answer(A, [1, 2], [[FULL, HALF, NONE], [FULL, FULL, FULL]]))
    # Out of order on purpose: answers are joined by pair id.
    receive(unit, answer(B, [2, 1], [[OTHER, FULL, FULL], [FULL, FULL, FULL]]))
    np.testing.assert_array_equal([[1.0, 0.5, np.nan], [0.0, 1.0, 1.0]], unit.similarity)
    assert [[1, 0, 0], [0, 1, 1]] == unit.agreement.tolist()
    assert "PairAnswers(<0 answers>)" == repr(unit.answers)


def test_a_pair_that_either_owner_refuses_is_not_compared() -> None:
    """Both sides are needed; the others go on without it."""
    unit = make_attribute_unit(TWO_LAYERS)
    receive(unit, announced([1, 2, 3]))
    receive(unit, answer(A, [1, 2]))
    receive(unit, refusal(A, [3]))
    receive(unit, refusal(B, [2]))
    assert [ids(1)] == list(labels(receive(unit, answer(B, [1, 3]))))
    assert [ids(1)] == unit.pair_ids


def test_a_batch_that_everybody_refuses_is_reported_empty() -> None:
    """The record unit goes on with nothing learned, here and in the next batch."""
    unit = make_attribute_unit()
    for first in (1, 3):
        receive(unit, announced([first, first + 1]))
        receive(unit, refusal(A, [first, first + 1]))
        assert {} == labels(receive(unit, refusal(B, [first, first + 1])))
    assert 0 == forest_of(unit).updates


def test_the_forest_is_bootstrapped_from_what_m_r_thinks() -> None:
    """Two kinds of pairs, one kind called matches by M_R: M_A learns to tell them apart."""
    unit = make_attribute_unit(TWO_LAYERS)
    g = [1] * 10 + [0] * 10
    pairs = list(range(20))
    receive(unit, announced(pairs, g))
    receive(unit, answer(A, pairs, [[FULL] * 3] * 10 + [[OTHER] * 3] * 10))
    found = labels(receive(unit, answer(B, pairs)))
    assert g == [found[ids(pair)][0] for pair in pairs]
    assert 1 == forest_of(unit).updates


def test_states_say_what_a_reviewer_needs_and_only_shown_attributes_are_asked_for() -> None:
    """Equal, dissimilar and missing are words; only values between the bounds are wished for, from both owners."""
    unit = make_attribute_unit(with_protocol(SCHEMA, review_budget=40, p_t=1.0))
    receive(unit, announced(PAIRS, DOUBTFUL))
    receive(
        unit,
        answer(A, PAIRS, ([[FULL, HALF, NONE]] * 2 + [[OTHER, FULL, HALF]] * 2) * 2 + [[FULL, HALF, NONE]] * 2, rank=2),
    )
    out = receive(unit, answer(B, PAIRS))
    (task,) = sent(out, REVIEW_UNIT)
    assert isinstance(task, ReviewTask)
    kinds = {(tuple(task.states[3 * i : 3 * i + 3]), tuple(task.classes[3 * i : 3 * i + 3])) for i in range(len(task))}
    assert {((EQUAL, SHOWN, MISSING), (2, 0, 0)), ((DISSIMILAR, EQUAL, SHOWN), (0, 2, 0))} == kinds
    for party in OWNERS:
        (wish,) = sent(out, party)
        assert isinstance(wish, AttributeWish)
        shown = {wish.task_ids[i * ID : (i + 1) * ID]: wish.asked[3 * i : 3 * i + 3] for i in range(len(wish))}
        assert {
            task_id: bytes(state == SHOWN for state in task.states[3 * i : 3 * i + 3])
            for i, task_id in enumerate(split(task.task_ids))
        } == shown
        assert set(split(wish.pair_ids)) == {unit.pair_ids[unit.tasks[task_id]] for task_id in split(wish.task_ids)}


def test_the_task_leaves_before_the_wishes_that_bring_its_values() -> None:
    """The review unit cannot take values of a task that it does not know; in order, it never has to refuse any."""
    _, task, out = asking(with_protocol(DOUBTING, review_budget=12))
    assert [REVIEW_UNIT, *OWNERS] == [one.recipient for one in out]
    assert [3, 3] == [len(wish) for party in OWNERS for wish in sent(out, party)]
    assert 3 == len(task)


def test_each_owner_is_asked_in_an_order_of_its_own() -> None:
    """Pairs are drawn from the least certain upward; a wish in that order would tell how certain they are."""
    _, task, out = asking(with_protocol(DOUBTING, review_budget=40, p_t=1.0))
    wishes: list[Any] = [wish for party in OWNERS for wish in sent(out, party)]
    orders = {tuple(split(task.task_ids)), *(tuple(split(wish.task_ids)) for wish in wishes)}
    assert 10 == len(task)
    assert 3 == len(orders)


def test_task_ids_are_not_pair_ids() -> None:
    """Two units' databases must not be joinable on their ids."""
    unit, task = asked()
    assert set(split(task.task_ids)).isdisjoint(unit.pair_ids)


def test_labels_teach_the_forest_and_the_next_batch_follows() -> None:
    """Budget 4 in 4 batches, two per iteration: two tasks of one pair, then the report."""
    unit, task = asked()
    assert 1 == len(task)
    reviewed = unit.pair_ids[unit.tasks[task.task_ids]]
    _, second = sent(receive(unit, verdict(task.task_ids, [1])), REVIEW_UNIT)
    assert (1, 2) == (unit.spent, forest_of(unit).updates)
    assert isinstance(second, ReviewTask)
    assert second.task_ids != task.task_ids
    found = labels(receive(unit, verdict(second.task_ids, [0])))
    assert (2, 3) == (unit.spent, forest_of(unit).updates)
    assert 10 == len(found)
    assert (1, 1.0) == found[reviewed]


def test_reviewers_are_told_what_their_labels_changed_and_nothing_of_any_pair() -> None:
    """Counts over all pairs, once for each batch that had a label: with the next tasks, or with the report."""
    unit, task = asked()
    before = unit.layer.g.copy()
    told, second = sent(receive(unit, verdict(task.task_ids, [1])), REVIEW_UNIT)
    now = unit.layer.g
    assert isinstance(second, ReviewTask)
    assert BatchLearnt(1, 10, int(now.sum()), int((now & ~before).sum()), int((before & ~now).sum()), 0, 0) == told
    assert [] == sent(receive(unit, refusal(REVIEW_UNIT, second.task_ids)), REVIEW_UNIT)
    assert [] == sent(receive(unit, announced([])), REVIEW_UNIT)[1:], "nobody gave a label since"


def test_a_model_with_probabilities_says_how_many_decisions_it_expects_to_be_right() -> None:
    """Before the labels and after them, by the same pairs."""
    unit, task = asked(with_protocol(DOUBTING, models="prior", review_budget=12, p_t=1.0))
    expected = round(10_000 * float(unit.layer.p.mean()))
    told = sent(receive(unit, verdict(task.task_ids, [1, 1, 1])), REVIEW_UNIT)[0]
    assert isinstance(told, BatchLearnt)
    assert (3, expected) == (told.labels, told.right_before)
    assert expected != told.right_after == round(10_000 * float(unit.layer.p.mean()))


def test_only_changes_are_reported_after_the_first_time() -> None:
    """The second batch brings no pair: only outcomes that changed by the new labels go up."""
    unit, task = asked(with_protocol(DOUBTING, batches=(3, 2, 2)))
    _, second = sent(receive(unit, verdict(task.task_ids, [1])), REVIEW_UNIT)
    assert isinstance(second, ReviewTask)
    before = labels(receive(unit, verdict(second.task_ids, [0])))
    (third,) = sent(receive(unit, announced([])), REVIEW_UNIT)
    assert isinstance(third, ReviewTask)
    _, fourth = sent(receive(unit, verdict(third.task_ids, [0])), REVIEW_UNIT)
    assert isinstance(fourth, ReviewTask)
    after = labels(receive(unit, verdict(fourth.task_ids, [0])))
    assert {unit.pair_ids[unit.tasks[one]] for one in (third.task_ids, fourth.task_ids)} <= set(after)
    assert all(before[pair] != word for pair, word in after.items())
    assert 4 == unit.spent
    assert {} == labels(receive(unit, announced([])))  # the budget is spent: M_A is frozen


def test_reported_once_means_only_reviewed_pairs_are_reported_again() -> None:
    """The switch `report_once`: what M_A thinks later stays inside."""
    unit, task = asked(with_protocol(DOUBTING, report_once=True, review_rounds=1))
    labels(receive(unit, verdict(task.task_ids, [1])))
    (second,) = sent(receive(unit, announced([])), REVIEW_UNIT)
    assert isinstance(second, ReviewTask)
    assert [unit.pair_ids[unit.tasks[second.task_ids]]] == list(labels(receive(unit, verdict(second.task_ids, [0]))))


def test_a_batch_of_tasks_is_learned_from_when_the_last_is_back() -> None:
    """Labels and refusals may come one by one; a refused task costs no budget and is not asked again."""
    unit, task = asked(with_protocol(DOUBTING, review_budget=12, review_rounds=1))
    first, second, third = split(task.task_ids)
    assert [] == receive(unit, verdict(second, [1]))
    assert [] == receive(unit, refusal(REVIEW_UNIT, first))
    assert 1 == forest_of(unit).updates
    found = labels(receive(unit, verdict(third, [0])))
    assert (2, 2) == (unit.spent, forest_of(unit).updates)
    assert (1, 1.0) == found[unit.pair_ids[unit.tasks[second]]]
    assert found[unit.pair_ids[unit.tasks[first]]][1] < 1
    (again,) = sent(receive(unit, announced([])), REVIEW_UNIT)
    assert isinstance(again, ReviewTask)
    assert {unit.tasks[one] for one in split(again.task_ids)}.isdisjoint(
        unit.tasks[one] for one in (first, second, third)
    )


def test_when_every_task_is_refused_nothing_is_learned() -> None:
    """Two rounds of refusals, then the report; the budget is untouched."""
    unit, task = asked()
    (second,) = sent(receive(unit, refusal(REVIEW_UNIT, task.task_ids)), REVIEW_UNIT)
    assert isinstance(second, ReviewTask)
    assert 10 == len(labels(receive(unit, refusal(REVIEW_UNIT, second.task_ids))))
    assert (0, 1) == (unit.spent, forest_of(unit).updates)


def test_a_reviewer_who_is_not_certain_is_taken_at_their_word() -> None:
    """p of the label is passed on."""
    unit, task = asked(with_protocol(DOUBTING, review_rounds=1))
    found = labels(receive(unit, verdict(task.task_ids, [0], [0.75])))
    assert (0, 0.75) == found[unit.pair_ids[unit.tasks[task.task_ids]]]


@pytest.mark.parametrize(
    ("envelope", "because"),
    [
        (answer(STRANGER, [1]), "not an owner of this project"),
        (refusal(STRANGER, [1]), "not an owner of this project"),
        (Envelope(RECORD_UNIT, ATTRIBUTE_UNIT, answer(A, [1]).message), "not allowed"),
        (Envelope(A, ATTRIBUTE_UNIT, announced([5]).message), "not allowed"),
        (Envelope(A, ATTRIBUTE_UNIT, verdict(ids(1), [1]).message), "not allowed"),
        (Envelope(RECORD_UNIT, A, EncodingWish(0, ids(1), ids(1), ids(1), bytes(32))), "not for the attribute unit"),
        (refusal(B, []), "about nothing"),
        (refusal(REVIEW_UNIT, []), "about nothing"),
        (answer(B, []), "about nothing"),
        (verdict(b"", []), "about nothing"),
        (announced([3]), "the last batch is not finished"),
        (answer(A, [1]), "second answer"),
        (refusal(A, [1]), "second answer"),
        (answer(B, [1, 1]), "second answer"),
        (refusal(B, [2, 2]), "second answer"),
        (answer(B, [1], rank=4), "unknown frequency class"),
        (
            Envelope(B, ATTRIBUTE_UNIT, AttributeEncodings(2, 256, ids(1), bytes(64), bytes(2))),
            "differ from the schema",
        ),
        (Envelope(B, ATTRIBUTE_UNIT, AttributeEncodings(3, 64, ids(1), bytes(24), bytes(3))), "differ from the schema"),
        (verdict(ids(9), [1]), "not open"),
        (refusal(REVIEW_UNIT, [9]), "not open"),
    ],
)
def test_what_does_not_fit_is_refused_while_a_batch_is_open(envelope: Envelope, because: str) -> None:
    """And the honest answers afterwards lead to the same report as without the fault."""
    unit, undisturbed = make_attribute_unit(TWO_LAYERS), make_attribute_unit(TWO_LAYERS)
    for one in (unit, undisturbed):
        receive(one, announced([1, 2]))
        receive(one, answer(A, [1]))
    refuses(unit, envelope, because)
    rest = (answer(B, [1, 2]), answer(A, [2]))
    assert [receive(undisturbed, one) for one in rest] == [receive(unit, one) for one in rest]


@pytest.mark.parametrize(
    ("g", "p"), [([2], [0.9]), ([1], [0.3]), ([1], [1.5]), ([1], [float("nan")]), ([255], [float("inf")])]
)
def test_announcements_and_labels_that_are_no_outcomes_are_refused(g: list[int], p: list[float]) -> None:
    """From the record unit and from the review unit alike."""
    refuses(make_attribute_unit(), announced([1], g, p), "must")
    unit, task = asked()
    refuses(unit, verdict(task.task_ids, g, p), "must")


def test_a_task_is_labelled_once() -> None:
    """Not twice in one message, and not again after it is closed."""
    unit, task = asked(with_protocol(DOUBTING, review_budget=12))
    first, second, _ = split(task.task_ids)
    refuses(unit, verdict(first * 2, [1, 0]), "not open")
    refuses(unit, verdict(first + ids(99), [1, 0]), "not open")
    receive(unit, verdict(first, [1]))
    refuses(unit, verdict(second + first, [1, 1]), "not open")
    refuses(unit, refusal(REVIEW_UNIT, second + first), "not open")


def test_a_batch_that_comes_before_the_last_is_finished_may_come_again_later() -> None:
    """The network may bring it early; told so, its sender tries again, and then it is taken."""
    unit = make_attribute_unit(TWO_LAYERS)
    receive(unit, announced([1]))
    with pytest.raises(TooEarly, match="not finished"):
        receive(unit, announced([2]))
    receive(unit, answer(A, [1]))
    receive(unit, answer(B, [1]))
    assert [] == receive(unit, announced([2]))
    receive(unit, answer(A, [2]))
    assert [ids(2)] == list(labels(receive(unit, answer(B, [2]))))


def test_pairs_are_announced_once() -> None:
    """Neither twice in a batch nor again later: the second time nobody would answer, and the batch never end."""
    unit = make_attribute_unit(TWO_LAYERS)
    refuses(unit, announced([1, 1]), "announced before")
    receive(unit, announced([1]))
    receive(unit, answer(A, [1]))
    receive(unit, answer(B, [1]))
    refuses(unit, announced([2, 1]), "announced before")


def test_a_second_answer_is_refused_even_after_the_batch() -> None:
    """An encoding that comes too late is not kept."""
    unit = make_attribute_unit(TWO_LAYERS)
    receive(unit, announced([1]))
    receive(unit, answer(A, [1]))
    receive(unit, refusal(B, [1]))
    for late in (answer(A, [1]), answer(B, [1]), refusal(B, [1])):
        refuses(unit, late, "second answer")


def test_printing_answers_shows_their_number_only() -> None:
    """They hold encodings."""
    answers: Any = PairAnswers(OWNERS)
    answers.give(A, ids(1), np.full((3, 4), 171, np.uint64), np.ones(3, np.uint8))
    assert "PairAnswers(<1 answers>)" == repr(answers)
    assert 3 == len(NAMES)
