"""An owner's way in and out: it introduces itself, uploads when all agree, and gets a link table back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from asked_owner import wish
from small_project import (
    KEY,
    NAMES,
    PEOPLE,
    A,
    B,
    handles,
    ids,
    make_introduced_owner,
    make_owner,
    records,
    refuses,
    sent,
    uploaded,
)

from unveil.errors import SettingError
from unveil.joining.sealed_pairs import part_sizes, table_rows
from unveil.joining.terms import JOINING, NOBODY, JoinTerms
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Decision, receive, settle
from unveil.protocol.messages import HASH, ID, SEALED_QUALITY, Agreement, Fingerprint, JoinTable, LinkQuality, LinkTable
from unveil.protocol.roles import RECORD_UNIT
from unveil.roles.owner import machine
from unveil.roles.owner.machine import Owner

OTHER_KEY = b"another invented owner key, 32 b"
UPLOAD_FIELDS = ("part", "parts", "m", "blocking_keys")


def test_the_first_message_is_the_fingerprint_and_nothing_follows_unasked() -> None:
    """Equal for owners that share key and schema, before any record is encoded; another key gives another."""
    parties = [make_owner(address) for address in (A, B)]
    parties += [make_owner(B, key=OTHER_KEY)]
    out = [settle(party) for party in parties]
    messages: list[Any] = [message for one in out for message in sent(one, RECORD_UNIT)]
    assert [Fingerprint] * 3 == [type(message) for message in messages]
    assert messages[0] == messages[1] != messages[2]
    assert [None] * 3 == [party.decide(0.0) for party in parties]


def test_upload_carries_every_record_once_the_owners_agree() -> None:
    """Handles are the owner's own; the filters of the same people under the same key are the same."""
    a, b = make_introduced_owner(A), make_introduced_owner(B)
    uploads = [*uploaded(a), *uploaded(b)]
    assert (6, 0, 1, 1024, 1) == (len(uploads[0]), *(getattr(uploads[0], name) for name in UPLOAD_FIELDS))
    assert uploads[0].filters == uploads[1].filters
    assert b"".join(handles(a)) == uploads[0].handles
    assert set(handles(a)).isdisjoint(handles(b))


def test_an_owner_that_is_told_no_sends_nothing_and_waits() -> None:
    """Key or parameters differ: it may be another owner's mistake, so a later yes is taken."""
    party = make_introduced_owner()
    assert [] == receive(party, Envelope(RECORD_UNIT, A, Agreement(0, party._presented)))
    assert (False, False) == (party.agreed, party.uploaded)
    assert [] == receive(party, Envelope(RECORD_UNIT, A, Agreement(0, party._presented)))
    assert [6] == [len(part) for part in uploaded(party)]
    assert (True, True) == (party.agreed, party.uploaded)


@pytest.mark.parametrize("agree", [0, 1])
def test_word_on_another_fingerprint_is_not_believed(agree: int) -> None:
    """It was on its way when the owner mended its key: a yes would let records go that nobody can compare."""
    party = make_introduced_owner()
    refuses(party, Envelope(RECORD_UNIT, A, Agreement(agree, b"the old key file")), "another fingerprint")
    assert (None, None) == (party.agreed, party.decide(0.0))


@pytest.mark.parametrize("agree", [0, 1])
def test_an_agreement_stands(agree: int) -> None:
    """The records are out and are not sent twice; nor is the yes taken back."""
    party = make_introduced_owner()
    uploaded(party)
    refuses(party, Envelope(RECORD_UNIT, A, Agreement(agree, party._presented)), "agreed before")
    assert party.decide(0.0) is None


@pytest.mark.parametrize("size", [1, 2, 4, 5, 6, 7])
def test_an_upload_in_parts_is_the_same_upload(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbered from 0, none empty, and side by side they are what would have gone in one piece."""
    (whole,) = uploaded(make_introduced_owner())
    record = ID + 1024 // 8 + HASH
    monkeypatch.setattr(machine, "PART", size * record + record // 2)
    parts = uploaded(make_introduced_owner())
    count = -(-6 // size)
    assert [(i, count) for i in range(count)] == [(part.part, part.parts) for part in parts]
    assert all(1 <= len(part) <= size for part in parts)
    for column in ("handles", "filters", "blocking"):
        assert getattr(whole, column) == b"".join(getattr(part, column) for part in parts)


def test_records_larger_than_a_part_travel_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part holds at least one record."""
    monkeypatch.setattr(machine, "PART", 1)
    assert [1] * 6 == [len(part) for part in uploaded(make_introduced_owner())]


def introduced(party: Owner, *, told: int) -> list[Envelope | Decision]:
    """The log of an owner that has shown its fingerprint and was told whether all agree."""
    log: list[Envelope | Decision] = []
    while (step := party.decide(0.0)) is not None:
        log.append(step.decision)
        party.apply(step.decision)
    return [*log, Envelope(RECORD_UNIT, A, Agreement(told, party._presented))]


def restarted(log: list[Envelope | Decision], key: bytes) -> Owner:
    """An owner that takes up its log with this key."""
    party = make_owner(key=key)
    for entry in log:
        party.apply(entry)
    return party


def test_a_corrected_key_is_shown_as_long_as_the_owners_have_not_agreed() -> None:
    """The owner was told that keys differ, gets the right key file, and goes on with its log; once is enough."""
    log = introduced(make_owner(key=OTHER_KEY), told=0)
    assert [] == settle(restarted(log, OTHER_KEY))
    mended = restarted(log, KEY)
    assert sent(settle(make_owner())) == sent(settle(mended))
    assert [] == settle(mended)


def test_a_key_that_changed_after_the_owners_agreed_is_refused() -> None:
    """Filters under another key are like nobody's: every link would be lost, and nobody would know why."""
    log = introduced(make_owner(), told=1)
    with pytest.raises(SettingError, match="key or the parameters have changed"):
        restarted(log, OTHER_KEY).decide(0.0)
    assert [6] == [len(part) for part in sent(settle(restarted(log, KEY)))]


def test_data_that_changed_since_the_linkage_began_is_refused() -> None:
    """Handles stand for rows: with other rows, wishes would be answered with the values of somebody else."""
    step = make_owner().decide(0.0)
    assert step is not None
    assert () == step.messages
    for name in NAMES:
        other = dict(PEOPLE) | {name: [*PEOPLE[name][1:], PEOPLE[name][0]]}
        changed = make_owner(of=records(other))
        changed.apply(step.decision)
        with pytest.raises(SettingError, match="changed since the linkage began"):
            changed.decide(0.0)
        with pytest.raises(SettingError, match="changed since the linkage began"):
            receive(changed, wish(make_introduced_owner(), [0], [1], [1]))
        with pytest.raises(SettingError, match="changed since the linkage began"):
            changed.apply(wish(make_introduced_owner(), [0], [1], [1]))
    same = make_owner()
    same.apply(step.decision)
    assert same.decide(0.0) is not None


# The result comes back


def link_table(party: Owner, rows: list[int], part: int = 0, parts: int = 1) -> Envelope:
    """A part of the link table: link id 100 + row for each of these rows."""
    known = handles(party)
    table = LinkTable(part, parts, b"".join(known[row] for row in rows), ids(*(100 + row for row in rows)))
    return Envelope(RECORD_UNIT, party.address, table)


def test_the_link_table_comes_in_any_order_and_is_kept_by_row() -> None:
    """The owner reads the result beside its records."""
    party = make_introduced_owner()
    assert [] == receive(party, link_table(party, [3, 1, 0, 5, 4, 2]))
    assert [ids(100 + row) for row in range(6)] == party.link_ids


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_parts_of_the_link_table_may_come_in_any_order(order: tuple[int, ...]) -> None:
    """There is no result before the last one is there."""
    party = make_introduced_owner()
    parts = [link_table(party, rows, part, 3) for part, rows in enumerate(([3, 1], [0, 5, 4], [2]))]
    for at in order:
        assert [] == party.link_ids
        receive(party, parts[at])
    assert [ids(100 + row) for row in range(6)] == party.link_ids
    refuses(party, parts[0], "second link table")


def test_a_link_table_must_have_every_record_once() -> None:
    """A record left out would tell that it has no partner."""
    party = make_introduced_owner()
    for listed in ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 4, 5, 5]):
        refuses(party, link_table(party, listed), "not a link id for each record")
    strange = LinkTable(0, 1, b"".join(handles(party)[:5]) + ids(9), ids(*range(6)))
    refuses(party, Envelope(RECORD_UNIT, A, strange), "not a link id for each record")
    good = link_table(party, [0, 1, 2, 3, 4, 5])
    receive(party, good)
    refuses(party, good, "second link table")


def join_table(records: int = 6, part: int = 0, parts: int = 1, key: int = 32) -> JoinTable:
    """What is sealed for whoever may join, of an owner of so many records."""
    sealed = bytes(part_sizes(table_rows(records, one_to_one=True))[0])
    return JoinTable(part, parts, bytes(32), bytes(key), bytes(SEALED_QUALITY), sealed)


def test_what_is_sealed_is_part_of_the_result() -> None:
    """Without it the linkage is not over for the owner, and with any of it nothing is answered any more."""
    party = make_introduced_owner()
    receive(party, Envelope(RECORD_UNIT, A, join_table()))
    assert "the links have not come yet" == party.unfinished()
    refuses(party, wish(party, [0], [0], [0]), "the links have come, and nothing is answered any more")
    receive(party, link_table(party, [0, 1, 2, 3, 4, 5]))
    assert not party.linked
    receive(party, Envelope(RECORD_UNIT, A, QUALITY))
    assert (True, "") == (party.linked, party.unfinished())
    assert 6 == party.sealed_links.part("p", "a", ("a", "b")).records


#: What owners are told of the links.
QUALITY = LinkQuality(700, 24, 1, np.tile([0.7, 0.8, 0.9], 3).astype("<f8").tobytes())


def test_how_good_links_are_comes_once_and_makes_sense_and_only_where_owners_may_know() -> None:
    """A unit that tells what the project file keeps from owners is refused, whatever it says."""
    party = make_introduced_owner()
    for wrong in ([0.9, 0.8, 0.7], [0.7, 0.8, 1.1], [np.nan, 0.8, 0.9], [-0.1, 0.8, 0.9]):
        figures = np.tile(wrong, 3).astype("<f8").tobytes()
        message = Envelope(RECORD_UNIT, A, LinkQuality(700, 24, 1, figures))
        refuses(party, message, "figures of quality are shares: low, point and high")
    receive(party, Envelope(RECORD_UNIT, A, QUALITY))
    refuses(party, Envelope(RECORD_UNIT, A, QUALITY), "a second word on the quality of the links")
    refuses(party, wish(party, [0], [0], [0]), "the links have come, and nothing is answered any more")
    for quality in (JOINING, NOBODY):
        untold = make_introduced_owner(joining=JoinTerms(quality=quality))
        refuses(untold, Envelope(RECORD_UNIT, A, QUALITY), "owners are not to know this, as the project file says")
        receive(untold, link_table(untold, [0, 1, 2, 3, 4, 5]))
        receive(untold, Envelope(RECORD_UNIT, A, join_table()))
        assert untold.linked, "nothing more is waited for"


def test_an_owner_takes_nothing_sealed_whose_size_is_not_its_own_records() -> None:
    """It could tell how many links there are, or how large the other register is; nor what is not as it was agreed."""
    party = make_introduced_owner()
    for wrong in (join_table(5), join_table(7), join_table(6, 0, 2), join_table(6, 1, 2)):
        refuses(party, Envelope(RECORD_UNIT, A, wrong), "not as long as this owner's records make it")
    refuses(party, Envelope(RECORD_UNIT, A, join_table(key=80)), "not for those who may join, as the project file says")
    receive(party, Envelope(RECORD_UNIT, A, join_table()))
    refuses(party, Envelope(RECORD_UNIT, A, join_table()), "a second table to join")


def test_parts_of_a_link_table_must_fit_together() -> None:
    """One number of parts, each part once, each record in one of them, and none left out when the last has come."""
    party = make_introduced_owner()
    receive(party, link_table(party, [0, 1], 0, 2))
    refuses(party, link_table(party, [2, 3, 4, 5], 0, 2), "second link table")
    refuses(party, link_table(party, [2, 3], 1, 3), "number of parts has changed")
    refuses(party, link_table(party, [2, 3, 4, 5, 1], 1, 2), "not a link id for each record")
    refuses(party, link_table(party, [2, 3, 4], 1, 2), "not a link id for each record")
    receive(party, link_table(party, [2, 3, 4, 5], 1, 2))
    assert [ids(100 + row) for row in range(6)] == party.link_ids


def test_an_owner_without_records_can_take_part() -> None:
    """It uploads one empty part and gets an empty link table."""
    party = make_introduced_owner(of=records({name: [] for name in NAMES}))
    assert [(0, 0, 1)] == [(len(part), part.part, part.parts) for part in uploaded(party)]
    assert [] == receive(party, Envelope(RECORD_UNIT, A, LinkTable(0, 1, b"", b"")))
