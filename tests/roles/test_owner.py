from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from asked_owner import keys, show, values, wish
from hypothesis import given, settings
from hypothesis import strategies as st
from small_project import NAMES, PEOPLE, A, B, handles, ids, make_introduced_owner, refuses, sent

from unveil.errors import RemoteProtocolError, SettingError
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import (
    Agreement,
    AttributeEncodings,
    AttributeWish,
    EncodingWish,
    Labels,
    LinkTable,
    Message,
    RecordEncodings,
    Refusal,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.records import Column
from unveil.roles.owner.frequency import frequency_classes
from unveil.roles.owner.ledger import Ledger
from unveil.roles.owner.policy import ATTRIBUTE_LAYER, REVIEW_LAYER, Policy

PRESENT = np.array([[value != "" for value in PEOPLE[name]] for name in NAMES]).T


def test_wishes_are_answered_to_the_attribute_unit_under_the_pairs_key() -> None:
    """Two owners who hold the same person give equal filters for the same key_pair, and others for another."""
    a, b = make_introduced_owner(A), make_introduced_owner(B)
    answer_a: list[Any] = sent(receive(a, wish(a, [0, 5], [1, 2], [1, 2])), ATTRIBUTE_UNIT)
    answer_b: list[Any] = sent(receive(b, wish(b, [0, 0], [1, 2], [1, 3])), ATTRIBUTE_UNIT)
    assert (1, 1) == (len(answer_a), len(answer_b))
    assert isinstance(answer_a[0], AttributeEncodings)
    assert ids(1, 2) == answer_a[0].pair_ids
    half = len(answer_a[0].filters) // 2
    assert answer_a[0].filters[:half] == answer_b[0].filters[:half]
    assert answer_a[0].filters[half:] != answer_b[0].filters[half:]


def test_missing_values_are_empty_filters_of_class_0() -> None:
    """Missing is evidence of its own and must not look like a common value."""
    party = make_introduced_owner()
    (answer,) = sent(receive(party, wish(party, [3], [1], [1])))
    assert isinstance(answer, AttributeEncodings)
    filters = np.frombuffer(answer.filters, "<u8").reshape(len(NAMES), -1)
    assert [False, True, True] == filters.any(axis=1).tolist()
    assert [False, True, True] == [mark > 0 for mark in answer.classes]


def test_values_asked_for_go_to_the_review_unit_and_no_others() -> None:
    """Exactly the marked attributes, as they are written in the owner's records."""
    party = make_introduced_owner()
    receive(party, wish(party, [0, 4], [1, 2], [1, 2]))
    out = receive(party, show(party, [2, 1], [21, 11], [[1, 0, 1], [0, 1, 0]]))
    assert {REVIEW_UNIT} == {one.recipient for one in out}
    assert {ids(21): {"first_name": "eve", "zip": "10005"}, ids(11): {"last_name": "north"}} == values(out)


def test_values_of_each_task_travel_alone() -> None:
    """So that the review unit can erase each of them as soon as its task is decided."""
    party = make_introduced_owner()
    receive(party, wish(party, [0, 4], [1, 2], [1, 2]))
    out = receive(party, show(party, [2, 1], [21, 11], [[1, 0, 1], [0, 1, 0]]))
    assert [1, 1] == [len(message) for message in sent(out)]


@pytest.mark.parametrize("reuse", ["later", "within one message"])
def test_a_key_pair_is_never_served_twice(reuse: str) -> None:
    """Under one key for all records keyed filters would be plain ones; only the owner can prevent that."""
    party = make_introduced_owner()
    if reuse == "later":
        receive(party, wish(party, [0], [1], [7]))
        refuses(party, wish(party, [1], [2], [7]), "key_pair that was used before")
        refuses(party, wish(party, [2, 1], [3, 4], [8, 7]), "key_pair that was used before")
    else:
        refuses(party, wish(party, [0, 1], [1, 2], [7, 7]), "key_pair that was used before")


def test_a_key_pair_counts_as_used_even_if_the_wish_was_declined() -> None:
    """Else a unit could try until consent is given, with the same key."""
    party = make_introduced_owner(policy=Policy(response_rate_a=0.0))
    receive(party, wish(party, [0], [1], [7]))
    refuses(party, wish(party, [0], [2], [7]), "key_pair that was used before")


def test_none_of_two_thousand_malicious_wishes_is_served_under_a_used_key() -> None:
    """Keys drawn from a small pot, in batches of every size: no key occurs twice among the answers."""
    party, rng = make_introduced_owner(), np.random.default_rng(5)
    asked = served = 0
    used: list[int] = []
    while asked < 2000:
        size = int(rng.integers(1, 4))
        chosen = rng.integers(0, 300, size).tolist()
        pairs = list(range(asked, asked + size))
        asked += size
        try:
            out = receive(party, wish(party, rng.integers(0, 6, size).tolist(), pairs, chosen))
        except RemoteProtocolError:
            continue
        served += sum(len(message) for message in sent(out))
        used += chosen
    assert 200 < served == len(used) == len(set(used)) <= 300
    assert served * len(NAMES) >= party.ledger.disclosures(ATTRIBUTE_LAYER) > 0


@pytest.mark.parametrize("pairs", [[1, 2], [3, 3]])
def test_a_pair_id_is_taken_once(pairs: list[int]) -> None:
    """A pair id stands for one record of this owner; two would mix their values in one task."""
    party = make_introduced_owner()
    receive(party, wish(party, [0], [1], [1]))
    refuses(party, wish(party, [1, 2], pairs, [2, 3]), "pair that was wished for before")


def test_wishes_for_unknown_records_are_refused_as_a_whole() -> None:
    """The known record in the same batch is not disclosed either."""
    party = make_introduced_owner()
    mixed = EncodingWish(0, party.upload_id, ids(1, 2), handles(party)[0] + ids(99), keys(1, 2))
    refuses(party, Envelope(RECORD_UNIT, A, mixed), "does not hold")
    assert 0 == party.ledger.disclosures(ATTRIBUTE_LAYER)


def test_values_of_pairs_never_wished_for_are_refused() -> None:
    """The attribute unit can only go deeper where the record unit has asked first."""
    party = make_introduced_owner()
    receive(party, wish(party, [0], [1], [1]))
    refuses(party, show(party, [1, 2], [11, 12], [[1, 1, 1]] * 2), "never asked about")


@pytest.mark.parametrize("tasks", [[11, 12], [13, 13]])
def test_a_task_is_answered_once(tasks: list[int]) -> None:
    """A repeated task could ask for another attribute each time."""
    party = make_introduced_owner()
    receive(party, wish(party, [0, 1, 2], [1, 2, 3], [1, 2, 3]))
    receive(party, show(party, [1], [11], [[1, 0, 0]]))
    refuses(party, show(party, [2, 3], tasks, [[0, 1, 0]] * 2), "task that was wished for before")


def test_wishes_for_attributes_outside_the_schema_are_refused() -> None:
    """Marks are by position, so their number must fit."""
    party = make_introduced_owner()
    receive(party, wish(party, [0], [1], [1]))
    message = AttributeWish(2, ids(1), ids(11), b"\x01\x01")
    refuses(party, Envelope(ATTRIBUTE_UNIT, A, message), "outside the schema")


@pytest.mark.parametrize(
    ("sender", "message"),
    [
        (ATTRIBUTE_UNIT, EncodingWish(0, ids(1), b"", b"", b"")),
        (REVIEW_UNIT, AttributeWish(3, b"", b"", b"")),
        (RECORD_UNIT, AttributeWish(3, b"", b"", b"")),
        (B, LinkTable(0, 1, b"", b"")),
        (ATTRIBUTE_UNIT, Agreement(1, bytes(16))),
        (B, Agreement(1, bytes(16))),
        (ATTRIBUTE_UNIT, Labels(b"", b"", b"")),
        (RECORD_UNIT, RecordEncodings(bytes(16), 0, 1, 64, 0, b"", b"", b"")),
    ],
)
def test_what_the_table_does_not_allow_to_an_owner_is_refused(sender: Address, message: Message) -> None:
    """Wrong senders and outcomes alike."""
    refuses(make_introduced_owner(), Envelope(sender, A, message), "not allowed to owner a")


def test_an_owner_that_is_addressed_as_something_else_takes_nothing() -> None:
    """The table allows an upload to the record unit; this machine is none."""
    party = make_introduced_owner()
    upload = RecordEncodings(bytes(16), 0, 1, 64, 0, b"", b"", b"")
    refuses(party, Envelope(B, RECORD_UNIT, upload), "not for an owner")


def test_wishes_for_nothing_are_refused() -> None:
    """No honest unit sends them, and each would be kept: they could come without end."""
    party = make_introduced_owner()
    refuses(party, wish(party, [], [], []), "about nothing")
    refuses(party, show(party, [], [], []), "about nothing")


def test_consent_of_layer_1_keeps_a_record_from_the_attribute_unit_and_of_2_from_reviewers() -> None:
    """Each record has its own highest layer; the rest of the batch is answered all the same."""
    party = make_introduced_owner(policy=Policy(layers=np.array([1, 2, 3, 3, 3, 3], np.uint8)))
    out = receive(party, wish(party, [0, 1, 2], [1, 2, 3], [1, 2, 3]))
    assert [Refusal(ids(1))] == [one for one in sent(out) if isinstance(one, Refusal)]
    assert [ids(2, 3)] == [one.pair_ids for one in sent(out) if isinstance(one, AttributeEncodings)]
    shown = receive(party, show(party, [2, 3], [12, 13], [[1, 1, 1]] * 2))
    assert [Refusal(ids(12))] == [one for one in sent(shown) if isinstance(one, Refusal)]
    assert [ids(13)] == list(values(shown))
    assert [False, True, True, False, False, False] == party.ledger.disclosed(ATTRIBUTE_LAYER).any(axis=1).tolist()
    assert [False, False, True, False, False, False] == party.ledger.disclosed(REVIEW_LAYER).any(axis=1).tolist()


def test_an_attribute_that_must_never_be_shown_is_left_out_without_a_word() -> None:
    """Also if it is all that was asked for: the answer is then empty."""
    party = make_introduced_owner(policy=Policy(never=frozenset({"zip"})))
    receive(party, wish(party, [0, 1], [1, 2], [1, 2]))
    out = receive(party, show(party, [1, 2], [11, 12], [[1, 0, 1], [0, 0, 1]]))
    assert {ids(11): {"first_name": "ann"}, ids(12): {}} == values(out)
    assert [1, 0, 0] == party.ledger.records(REVIEW_LAYER).tolist()


def test_an_owner_that_answers_no_wish_refuses_every_one() -> None:
    """Silence would leave the units waiting; a refusal is an answer."""
    party = make_introduced_owner(policy=Policy(response_rate_a=0.0))
    assert [Refusal(ids(1, 2))] == sent(receive(party, wish(party, [0, 1], [1, 2], [1, 2])))
    assert 0 == party.ledger.disclosures(ATTRIBUTE_LAYER)
    party = make_introduced_owner(policy=Policy(response_rate_c=0.0))
    receive(party, wish(party, [0, 1], [1, 2], [1, 2]))
    assert [Refusal(ids(11))] == sent(receive(party, show(party, [2], [11], [[1, 1, 1]])))
    assert 0 == party.ledger.disclosures(REVIEW_LAYER)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.data())
def test_the_ledger_is_what_left(rows: list[int], data: st.DataObject) -> None:
    """Present values only, counted per record and attribute, and again for every further disclosure."""
    party = make_introduced_owner()
    receive(party, wish(party, rows, list(range(len(rows))), list(range(len(rows)))))
    marks = [data.draw(st.lists(st.integers(0, 1), min_size=3, max_size=3)) for _ in rows]
    out = receive(party, show(party, list(range(len(rows))), list(range(100, 100 + len(rows))), marks))
    expected_a, expected_c = np.zeros((6, 3), int), np.zeros((6, 3), int)
    for row, one in zip(rows, values(out).values(), strict=True):
        expected_a[row] += PRESENT[row]
        expected_c[row] += [bool(one.get(name)) for name in NAMES]
    for layer, expected in ((ATTRIBUTE_LAYER, expected_a), (REVIEW_LAYER, expected_c)):
        assert (expected > 0).tolist() == party.ledger.disclosed(layer).tolist()
        assert int(expected.sum()) == party.ledger.disclosures(layer)
        assert (expected > 0).sum(axis=0).tolist() == party.ledger.records(layer).tolist()


def test_a_record_shown_twice_is_charged_twice() -> None:
    """Rows may repeat within one charge; each counts."""
    ledger = Ledger(2, 1)
    ledger.charge(REVIEW_LAYER, np.array([0, 0]), np.ones((2, 1), bool), 0.0)
    assert (2, [1]) == (ledger.disclosures(REVIEW_LAYER), ledger.records(REVIEW_LAYER).tolist())


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_policy_refuses_rates_that_are_no_shares(rate: float) -> None:
    """A typing mistake must not turn into disclosure."""
    with pytest.raises(SettingError):
        Policy(response_rate_a=rate)
    with pytest.raises(SettingError):
        Policy(response_rate_c=rate)


def test_a_policy_refuses_layers_that_do_not_exist() -> None:
    """0 might be meant as never, 4 as everything; neither is guessed."""
    for layer in (0, 4):
        with pytest.raises(SettingError):
            Policy(layers=np.array([1, layer], np.uint8))
    assert Policy(layers=np.empty(0, np.uint8)).layers is not None


def test_a_response_rate_is_met_on_average() -> None:
    """3,000 wishes at .8: within five standard deviations."""
    party, n = make_introduced_owner(policy=Policy(response_rate_a=0.8)), 3000
    granted = 0
    for start in range(0, n, 1000):
        some = list(range(start, start + 1000))
        out = receive(party, wish(party, [row % 6 for row in some], some, some))
        granted += sum(len(message) for message in sent(out) if isinstance(message, AttributeEncodings))
    assert abs(granted / n - 0.8) < 5 * np.sqrt(0.8 * 0.2 / n)


def test_whether_a_wish_is_answered_does_not_depend_on_what_came_before() -> None:
    """Chance goes by the pair's id, so that neither order nor a restart changes which wishes are granted."""
    granted = []
    for order in (range(40), range(39, -1, -1)):
        party = make_introduced_owner(policy=Policy(response_rate_a=0.5))
        out = [one for i in order for one in receive(party, wish(party, [i % 6], [i], [i]))]
        granted.append({one.pair_ids for one in sent(out) if isinstance(one, AttributeEncodings)})
    assert granted[0] == granted[1]
    assert 5 < len(granted[0]) < 35


def test_printing_an_owner_shows_no_record() -> None:
    """Nor a key, nor a handle."""
    assert "Owner(owner a, <6 records>)" == repr(make_introduced_owner())


def test_equally_common_values_share_the_better_class() -> None:
    """Ten values lead together: all have rank 0, and no arbitrary order decides which two are called frequent."""
    column = Column.of([f"v{i}" for i in range(200) for _ in range(2 if i < 10 else 1)])
    classes = dict(zip(column.values(), frequency_classes(column, (0.01, 0.05)).tolist(), strict=True))
    assert [1] * 10 + [3] * 190 == [classes[f"v{i}"] for i in range(200)]


def test_frequency_classes_follow_the_definition() -> None:
    """Counts fall, so value i has rank i: ranks below 1 %, below 5 %, the rest; missing is 0 and counts nowhere."""
    column = Column.of([f"v{i}" for i in range(200) for _ in range(200 - i)] + [""] * 500)
    classes = dict(zip(column.values(), frequency_classes(column, (0.01, 0.05)).tolist(), strict=True))
    assert [1] * 2 + [2] * 8 + [3] * 190 == [classes[f"v{i}"] for i in range(200)]
    assert 0 == classes[""]


def test_values_that_are_the_same_after_normalising_are_counted_together() -> None:
    """The filter is made of the normalised value, so its class must be too."""
    column = Column.of(["Ann", "ANN", "bob", "bob", "cleo", " "])
    classes = frequency_classes(column, (0.3, 0.5), lambda value: value.strip().lower())
    assert [1, 1, 1, 1, 3, 0] == classes.tolist()
