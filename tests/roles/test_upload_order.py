"""The order of an upload: that of random handles, whatever the file is sorted by."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_project import A, handles, make_owner, records, uploaded

from sorted_register import guessed_initials, rank_correlation, sorted_register
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Decision, receive, settle
from unveil.protocol.messages import ID, LinkTable, RecordEncodings
from unveil.protocol.roles import RECORD_UNIT
from unveil.records import Records
from unveil.roles.chance import Chance, SeededChance, SeededDraw
from unveil.roles.columns import entries
from unveil.roles.handles import Handles
from unveil.roles.owner import machine
from unveil.roles.owner.machine import Owner
from unveil.runtime.system_chance import SystemDraw, system_chance

PEOPLE = 2000


@cache
def register() -> Records:
    return sorted_register(PEOPLE)


def rows_as_uploaded(party: Owner) -> list[int]:
    """Rows of the owner's file in the order in which the record unit gets them."""
    settle(party)
    row_of = {handle: row for row, handle in enumerate(handles(party))}
    return [row_of[handle] for part in uploaded(party) for handle in entries(part.handles, ID)]


def test_the_order_of_an_upload_tells_nothing_about_a_sorted_register() -> None:
    """Neither where in the file a record stands, nor its initial: no better than the best constant guess."""
    people = register()
    order = rows_as_uploaded(make_owner(of=people, chance=system_chance))
    assert list(range(PEOPLE)) == sorted(order)
    assert abs(rank_correlation(order)) < 0.12, "more than five standard deviations"
    right, constant = guessed_initials(people, order)
    assert right < constant


def test_the_guess_succeeds_where_the_order_is_that_of_the_file() -> None:
    """The control: a simulation hides nothing, and its handles rise."""
    people = register()
    order = rows_as_uploaded(make_owner(of=people, chance=SeededChance(1, "a")))
    assert list(range(PEOPLE)) == order
    right, constant = guessed_initials(people, order)
    assert right > 0.85 > constant


class Fixed(SystemDraw):
    """The given handles."""

    def __init__(self, column: bytes) -> None:
        self._column = column

    def handles(self, count: int) -> bytes:
        assert ID * count == len(self._column)
        return self._column


def drawing(column: bytes) -> Chance:
    return lambda _: Fixed(column)


@given(st.lists(st.binary(min_size=ID, max_size=ID), min_size=6, max_size=6, unique=True), st.integers(1, 7))
def test_every_record_leaves_under_its_own_handle_and_gets_its_own_link(drawn: list[bytes], size: int) -> None:
    """Whatever the handles are, and however many records a part takes."""
    party = make_owner(chance=drawing(b"".join(drawn)))
    people, schema = records(), party._schema
    encoder = Encoder(schema, OwnerKey(b"an invented owner key, 32 bytes."), project="small")
    filters, blocking = encoder.record_level(people), encoder.blocking_keys(people)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "PART", size * (ID + filters.shape[1] * 8 + blocking.shape[1] * blocking.shape[2]))
        settle(party)
        parts = uploaded(party)
    assert -(-6 // size) == len(parts)
    sent = [one for part in parts for one in entries(part.handles, ID)]
    assert sorted(drawn) == sent, "in the order of the handles"
    rows = [drawn.index(one) for one in sent]
    assert filters[rows].tobytes() == b"".join(part.filters for part in parts)
    assert blocking[rows].tobytes() == b"".join(part.blocking for part in parts)
    links = [bytes([row]) * ID for row in rows]
    receive(party, Envelope(RECORD_UNIT, A, LinkTable(0, 1, b"".join(sent), b"".join(links))))
    assert [bytes([row]) * ID for row in range(6)] == party.link_ids


def test_a_restart_before_the_upload_keeps_the_order() -> None:
    """The handles are in the log, and the order is theirs."""
    first, events = make_owner(chance=system_chance), list[Decision]()
    while (step := first.decide(0.0)) is not None:
        events.append(step.decision)
        first.apply(step.decision)
    again = make_owner(chance=system_chance)
    for event in events:
        again.apply(event)
    assert columns(uploaded(first)) == columns(uploaded(again))


def columns(parts: list[RecordEncodings]) -> list[tuple[bytes, bytes]]:
    return [(part.handles, part.filters) for part in parts]


@given(st.integers(0, 40), st.text(max_size=5))
def test_the_handles_of_a_simulation_rise_and_differ(count: int, text: str) -> None:
    """Rows of an upload are rows of the file there, for every seed; the same text draws the same ones."""
    drawn = SeededDraw(text).handles(count)
    assert drawn == SeededDraw(text).handles(count)
    assert list(range(count)) == Handles(drawn).order.tolist()


def test_handles_of_the_system_are_in_no_order() -> None:
    """Of 200 records, in the order of their file once in 200! times."""
    drawn = entries(SystemDraw().handles(200), ID)
    assert 200 == len(Counter(drawn))
    assert drawn != sorted(drawn)
    assert abs(rank_correlation(np.argsort(np.argsort(drawn)).tolist())) < 0.4
