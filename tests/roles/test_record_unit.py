from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from encoded_uploads import SHARED, M, agreed, asking, upload
from small_project import (
    OWNERS,
    SCHEMA,
    A,
    B,
    ids,
    make_record_unit,
    reals,
    refuses,
    sent,
    with_protocol,
)

from unveil.errors import ProtocolError
from unveil.joining.join_part import JoinPart, joined
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import (
    ID,
    Bootstrap,
    EncodingWish,
    JoinTable,
    Labels,
    LinkTable,
    RecordEncodings,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address
from unveil.roles.record_unit import link_tables, machine
from unveil.roles.record_unit.machine import RecordUnit

UNCERTAIN = {2, 3, 4, 5, 6}  # between .67 and .76


def labels(pair_ids: bytes, g: list[int], p: list[float]) -> Envelope:
    return Envelope(ATTRIBUTE_UNIT, RECORD_UNIT, Labels(pair_ids, bytes(g), reals(*p)))


def started(unit: RecordUnit | None = None) -> tuple[RecordUnit, Bootstrap]:
    """A unit that has compared, and the batch that it announced."""
    return asking(unit)[:2]


def split(column: bytes, width: int = ID) -> list[bytes]:
    return [column[start : start + width] for start in range(0, len(column), width)]


def tables(out: list[Envelope]) -> dict[Address, list[tuple[bytes, bytes]]]:
    """Handle and link id by owner, of all parts in their order."""
    found: dict[Address, list[tuple[bytes, bytes]]] = {}
    for one in out:
        if isinstance(one.message, LinkTable):
            rows = zip(split(one.message.handles), split(one.message.link_ids), strict=True)
            found.setdefault(one.recipient, []).extend(rows)
    return found


def test_the_first_batch_follows_the_second_upload() -> None:
    """It waits for both owners, compares, and announces uncertain pairs with what M_R thinks of them."""
    unit, batch = started()
    assert pytest.approx(np.array(SHARED[:-1]) / 100) == unit.layer.features  # .4 lies below the floor
    assert 3 == len(batch) == unit.requested_pairs
    chosen = [unit.position_of(pair_id) for pair_id in split(batch.pair_ids)]
    assert set(chosen) <= UNCERTAIN
    assert unit.layer.g[chosen].tolist() == [bool(g) for g in batch.g]
    assert unit.layer.p[chosen].tolist() == np.frombuffer(batch.p, "<f8").tolist()


def test_both_owners_are_asked_for_their_record_of_each_pair_under_one_key() -> None:
    """The same pair ids and keys in both wishes, the own handles in each, in orders of their own."""
    unit, batch, out = asking(make_record_unit(with_protocol(SCHEMA, batches=(5,))))
    wishes: list[Any] = [wish for sender in OWNERS for wish in sent(out, sender)]
    assert [EncodingWish] * 2 == [type(wish) for wish in wishes]
    by_pair = [
        {
            pair: (handle, key)
            for pair, handle, key in zip(split(w.pair_ids), split(w.handles), split(w.key_pairs, 32), strict=True)
        }
        for w in wishes
    ]
    assert set(split(batch.pair_ids)) == set(by_pair[0]) == set(by_pair[1])
    for pair in split(batch.pair_ids):
        position = unit.position_of(pair)
        assert (ids(position), ids(100 + position)) == (by_pair[0][pair][0], by_pair[1][pair][0])
        assert by_pair[0][pair][1] == by_pair[1][pair][1]
    assert 5 == len({key for _, key in by_pair[0].values()})
    # Drawn from the lowest p upward; a wish in that order would tell which pairs are close to the threshold.
    orders = {tuple(split(batch.pair_ids)), *(tuple(split(w.pair_ids)) for w in wishes)}
    assert 3 == len(orders)


def test_wishes_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most so many entries in one message; together they are the batch, for each owner."""
    monkeypatch.setattr(machine, "WISHES", 2)
    _, batch, out = asking()
    for party in OWNERS:
        wishes: list[Any] = sent(out, party)
        assert [2, 1] == [len(wish) for wish in wishes]
        assert set(split(batch.pair_ids)) == {pair for wish in wishes for pair in split(wish.pair_ids)}


def test_labels_replace_the_words_of_the_model_and_open_the_next_batch() -> None:
    """Back-propagation: the labelled pair keeps the label, and no pair is asked about twice."""
    unit, batch = started()
    pairs = split(batch.pair_ids)
    before = {unit.position_of(pair) for pair in pairs}
    out = receive(unit, labels(batch.pair_ids, [1, 0, 1], [0.9, 1.0, 0.6]))
    assert [True, False, True] == [bool(unit.layer.g[unit.position_of(pair)]) for pair in pairs]
    (following,) = sent(out, ATTRIBUTE_UNIT)
    assert isinstance(following, Bootstrap)
    after = {unit.position_of(pair) for pair in split(following.pair_ids)}
    assert 2 == len(after)
    assert before.isdisjoint(after)


def test_the_threshold_moves_with_the_labels() -> None:
    """All five uncertain pairs are matches, among them those below .7: the threshold comes down to them."""
    unit, batch = started(make_record_unit(with_protocol(SCHEMA, batches=(5,))))
    receive(unit, labels(batch.pair_ids, [1] * 5, [1.0] * 5))
    assert 0.68 == unit.t


def test_a_later_report_overwrites_an_earlier_label() -> None:
    """The attribute unit may change its mind when it has learned more."""
    unit, batch = started()
    first = split(batch.pair_ids)[0]
    receive(unit, labels(first, [1], [0.9]))
    receive(unit, labels(first, [0], [0.8]))
    position = unit.position_of(first)
    assert (False, 0.8) == (unit.layer.g[position], unit.layer.p[position])


def opened(out: list[Envelope]) -> list[tuple[bytes, bytes]]:
    """The link ids that belong together, as both owners find out together."""
    messages = {one.recipient: one.message for one in out if isinstance(one.message, JoinTable)}
    names = (A.name, B.name)
    parts = []
    for party, one in messages.items():
        records = len(tables(out)[party])
        parts.append(JoinPart("", "", party.name, names, one.run, records, True, one.key, one.quality, one.sealed))
    return joined(parts).pairs


def test_every_record_gets_a_link_id_of_its_own_and_linked_ones_are_sealed() -> None:
    """Matched or not, so that a record without partner does not stand out; no owner has an id of the other's."""
    unit, batch = started()
    second = sent(receive(unit, labels(batch.pair_ids, [0] * 3, [1.0] * 3)))[0]
    assert isinstance(second, Bootstrap)
    assert not unit.finished
    out = receive(unit, labels(second.pair_ids, [1] * 2, [1.0] * 2))
    found = tables(out)
    assert unit.finished
    assert [ids(i) for i in range(9)] == [handle for handle, _ in found[A]]
    assert [ids(100 + i) for i in range(9)] == [handle for handle, _ in found[B]]
    matched = set(np.flatnonzero(unit.matches()).tolist())
    links_a, links_b = ([link for _, link in found[party]] for party in OWNERS)
    assert 18 == len({*links_a, *links_b})
    assert sorted((links_a[i], links_b[i]) for i in matched) == opened(out)
    assert {unit.position_of(pair) for pair in split(second.pair_ids)} <= matched


def test_link_tables_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbered, and together the same table; an owner without records gets one empty part."""
    schema = with_protocol(SCHEMA, layers=1)
    found = []
    for most in (1000, 4):
        monkeypatch.setattr(link_tables, "LINKS", most)
        unit = agreed(make_record_unit(schema))
        receive(unit, upload(A))
        out = receive(unit, upload(B, first=100))
        parts: list[Any] = [one for one in sent(out, A) if isinstance(one, LinkTable)]
        assert [(i, len(parts)) for i in range(-(-9 // most))] == [(one.part, one.parts) for one in parts]
        found.append(tables(out))
    assert found[0] == found[1]
    unit = agreed(make_record_unit(schema))
    receive(unit, upload(A, shared=()))
    assert LinkTable(0, 1, b"", b"") in sent(receive(unit, upload(B)), A)


def test_with_one_layer_the_second_upload_ends_it() -> None:
    """A plain record-level linkage is the same machine."""
    unit = agreed(make_record_unit(with_protocol(SCHEMA, layers=1)))
    receive(unit, upload(A))
    found = tables(receive(unit, upload(B, first=100)))
    assert set(OWNERS) == set(found)
    assert (True, 0) == (unit.finished, unit.requested_pairs)
    assert unit.decide(0.0) is None


def test_one_to_one_keeps_the_best_pair_of_a_record() -> None:
    """Two records of b in one block with one of a: the more similar one stays."""
    schema = with_protocol(SCHEMA, layers=1, one_to_one=True)
    width, key = M // 8, (1).to_bytes(16, "big")
    alike, less = ((2**ones - 1).to_bytes(width, "little") for ones in (4, 3))
    for one_to_one, expected in ((True, [True, False]), (False, [True, True])):
        unit = agreed(make_record_unit(with_protocol(schema, one_to_one=one_to_one)))
        receive(unit, Envelope(A, RECORD_UNIT, RecordEncodings(bytes(16), 0, 1, M, 1, ids(1), alike, key)))
        receive(
            unit, Envelope(B, RECORD_UNIT, RecordEncodings(bytes(16), 0, 1, M, 1, ids(1, 2), alike + less, key * 2))
        )
        assert expected == unit.matches().tolist()


@pytest.mark.parametrize("sizes", [(0, 0), (0, 9), (9, 0)])
def test_owners_without_records_are_linked_to_nobody(sizes: tuple[int, int]) -> None:
    """Every batch is empty then, and the run still ends with a table for each owner."""
    unit = agreed()
    receive(unit, upload(A, shared=SHARED[: sizes[0]]))
    out = receive(unit, upload(B, shared=SHARED[: sizes[1]]))
    for _ in SCHEMA.protocol.batches:
        assert [0] == [len(batch) for batch in sent(out, ATTRIBUTE_UNIT)]
        out = receive(unit, labels(b"", [], []))
    assert {A: sizes[0], B: sizes[1]} == {party: len(table) for party, table in tables(out).items()}
    assert sum(sizes) == len({link for table in tables(out).values() for _, link in table})


@pytest.mark.parametrize(("answered", "asked"), [(2, 2), (1, 4), (0, 5)])
def test_batches_are_inflated_by_what_the_owners_refused(answered: int, asked: int) -> None:
    """One of two answered: 2 / ½ pairs are asked about to get two. None: all that are uncertain."""
    unit, batch = started(make_record_unit(with_protocol(SCHEMA, batches=(2, 2), p_t=1.0)))
    assert (2, 8) == (len(batch), len(unit.layer))
    some = batch.pair_ids[: answered * ID]
    out = receive(unit, labels(some, [1, 0][:answered], [0.9] * answered))
    assert [asked] == [len(batch) for batch in sent(out, ATTRIBUTE_UNIT)]


@pytest.mark.parametrize(
    ("g", "p", "because"),
    [
        ([2, 0, 1], [0.9, 0.9, 0.9], "g must be 0 or 1"),
        ([1, 0, 1], [0.9, 0.4, 0.9], "p must lie"),
        ([1, 0, 1], [0.9, 1.1, 0.9], "p must lie"),
        ([1, 0, 1], [0.9, float("nan"), 0.9], "p must lie"),
        ([1, 0, 1], [0.9, float("inf"), 0.9], "p must lie"),
    ],
)
def test_labels_that_are_no_outcomes_are_refused(g: list[int], p: list[float], because: str) -> None:
    """The good labels beside the bad one are not taken either."""
    unit, batch = started()
    refuses(unit, labels(batch.pair_ids, g, p), because)


def test_labels_for_pairs_that_nobody_asked_about_are_refused() -> None:
    """Nor two labels for one pair in the same breath, nor from anybody but the attribute unit."""
    unit, batch = started()
    pairs = split(batch.pair_ids)
    refuses(unit, labels(pairs[0] + ids(99), [1, 1], [0.9, 0.9]), "not asked about")
    refuses(unit, labels(pairs[0] * 2, [1, 0], [0.9, 0.9]), "two labels for the same pair")
    from_owner = labels(pairs[0], [1], [0.9]).message
    refuses(unit, Envelope(A, RECORD_UNIT, from_owner), "not allowed")


def test_labels_after_the_end_are_refused() -> None:
    """The link tables are out."""
    unit, batch = started(make_record_unit(with_protocol(SCHEMA, batches=(3,))))
    assert {A, B} == set(tables(receive(unit, labels(b"", [], []))))
    refuses(unit, labels(batch.pair_ids, [1] * 3, [1.0] * 3), "no labels were asked for")


def test_without_a_comparison_there_are_no_matches() -> None:
    """Asking too early is an error, not an empty answer."""
    with pytest.raises(ProtocolError, match="nothing was compared"):
        make_record_unit().matches()
