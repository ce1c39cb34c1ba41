"""Between the units goes what the table of flows allows, field by field; ids cannot be joined beyond it."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from field_run import FieldRun

from unveil.lab.local_parties.folder import OWNERS, UNIT_FOLDERS
from unveil.protocol import codec, frames
from unveil.protocol.flows import FLOWS
from unveil.protocol.messages import ID, AttributeWish, Bootstrap, EncodingWish, Labels, LinkTable, OwnersAnswers
from unveil.roles.columns import entries
from unveil.roles.owner.decisions import KINDS, Prepared
from unveil.storage.database import Database

_HEADERS = {b"host", b"accept", b"accept-encoding", b"connection", b"user-agent", b"content-type", b"content-length"}


def test_the_attribute_unit_tells_the_record_unit_pair_ids_g_and_p_and_nothing_else(run: FieldRun) -> None:
    """Every byte of every request is accounted for; beside labels, how many pairs each owner answered in all."""
    recording = run.recording("record-unit")
    asked = {
        pair
        for exchange in run.recording("attribute-unit")
        if isinstance(exchange.message, Bootstrap)
        for pair in entries(exchange.message.pair_ids, ID)
    }
    called = [exchange for exchange in recording if exchange.caller == "attribute unit"]
    told = [exchange for exchange in called if exchange.method == "PUT"]
    assert len(told) >= 3
    for exchange in called:  # beside that, hashes by which a log that was set back is noticed
        assert exchange in told or re.fullmatch(rb'{"noted":(null|"[0-9a-f]{64}")}', exchange.body)
    for exchange in told:
        message = exchange.message
        query, *headers = exchange.head.split(b"\n")
        assert re.fullmatch(rb"head=[0-9a-f]{64}", query)
        assert b"" == exchange.answer
        assert {header.split(b":")[0] for header in headers} == _HEADERS
        if isinstance(message, OwnersAnswers):
            assert codec.encode(OwnersAnswers(message.batch, message.asked, message.answered)) == exchange.body
            assert 8 == len(message.answered)
            assert message.asked <= len(asked)
            continue
        assert isinstance(message, Labels)
        length = int.from_bytes(exchange.body[4:8], "little")
        sizes = [["pair_ids", ID * len(message)], ["g", len(message)], ["p", 8 * len(message)]]
        assert {"kind": "Labels", "fields": {}, "columns": sizes} == json.loads(exchange.body[8 : 8 + length])
        assert exchange.body[8 + length :] == message.pair_ids + message.g + message.p
        assert codec.encode(message) == exchange.body
        assert asked.issuperset(entries(message.pair_ids, ID))
        assert set(message.g) <= {0, 1}
        p = np.frombuffer(message.p, "<f8")
        assert ((p >= 0.5) & (p <= 1)).all()


def test_everything_that_was_sent_is_in_the_table(run: FieldRun) -> None:
    """And all of the table was sent, but for refusals where nobody refuses, and wishes of reviewers who have none."""
    seen = {
        (type(one.message), one.sender.split()[0], one.recipient.split()[0])
        for one in run.traffic()
        if one.message is not None
    }
    allowed = {
        (kind, sender.value.split()[0], recipient.value.split()[0])
        for kind, flows in FLOWS.items()
        for sender, recipient in flows
    }
    assert seen <= allowed
    assert {"FurtherWish", "Refusal"} >= {kind.__name__ for kind, _, _ in allowed - seen}
    for one in run.traffic():
        if one.message is not None:
            body = one.body if one.method == "PUT" else one.answer
            assert codec.encode(one.message) == body  # no byte beside its fields


class Ids:
    """All ids of a run, by what they stand for."""

    def __init__(self, run: FieldRun) -> None:
        self.handles: set[bytes] = set()
        self.pairs: set[bytes] = set()
        self.tasks: set[bytes] = set()
        self.links: set[bytes] = set()
        for party in OWNERS:
            with Database.inspect(run.trial.database(party)) as database:
                for entry in database.logs()[0].entries():
                    assert entry.body is not None
                    self._note(frames.read(entry.body, KINDS) if entry.kind == "decision" else codec.decode(entry.body))

    def _note(self, event: object) -> None:
        match event:
            case Prepared():
                self.handles.update(entries(event.handles, ID))
            case EncodingWish():
                self.pairs.update(entries(event.pair_ids, ID))
            case AttributeWish():
                self.tasks.update(entries(event.task_ids, ID))
            case LinkTable():
                self.links.update(entries(event.link_ids, ID))


def test_no_unit_holds_ids_that_are_not_its_own(run: FieldRun) -> None:
    """Handles: record unit. Pairs: record and attribute unit. Tasks: attribute and review unit. Links: record unit."""
    ids = Ids(run)
    assert min(len(ids.handles), len(ids.pairs), len(ids.tasks), len(ids.links)) >= 10
    belong = {
        "record-unit": ids.handles | ids.pairs | ids.links,
        "attribute-unit": ids.pairs | ids.tasks,
        "review-unit": ids.tasks,
    }
    everything = ids.handles | ids.pairs | ids.tasks | ids.links
    for unit in UNIT_FOLDERS:
        held = b"".join([*run.contents(unit), *(path.read_bytes() for path in _files(run, unit))])
        found = {one for one in everything if one in held or one.hex().encode() in held}
        assert set() == found - belong[unit]
        assert len(found) >= len(ids.tasks)  # the control: what belongs there is found


def _files(run: FieldRun, unit: str) -> list[Path]:
    return [path for path in (run.trial.root / unit).rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("one", "other"),
    [("record-unit", "attribute-unit"), ("record-unit", "review-unit"), ("attribute-unit", "review-unit")],
)
def test_two_dumps_share_nothing_but_the_ids_that_the_protocol_gives_both(run: FieldRun, one: str, other: str) -> None:
    """Any sixteen random bytes that stand in both databases are such an id, or went from one to the other with it."""
    ids = Ids(run)
    known = (
        set() if {one, other} == {"record-unit", "review-unit"} else ids.pairs if one == "record-unit" else ids.tasks
    )
    places = {UNIT_FOLDERS[one].value, UNIT_FOLDERS[other].value}
    between = b"".join(each.body for each in run.traffic() if {each.sender, each.recipient} == places)
    dumps = [b"".join(run.contents(unit)) for unit in (one, other)]
    assert bool(known) == bool(_random(dumps[0]) & _random(dumps[1]))  # the control: shared ids are found
    for each in known:
        dumps = [dump.replace(each, bytes(ID)) for dump in dumps]
        between = between.replace(each, bytes(ID))
    assert set() == (_random(dumps[0]) & _random(dumps[1])) - _random(between)


def _random(data: bytes) -> set[bytes]:
    """Every sixteen bytes that look random: neither text nor numbers with long runs of the same byte."""
    windows = (data[at : at + ID] for at in range(len(data) - ID + 1))
    return {window for window in windows if len(set(window)) >= 12 and not window.isascii()}


def test_message_ids_tell_two_units_nothing_about_a_third(run: FieldRun) -> None:
    """An id is drawn for each message, and known to its sender and its recipient alone."""
    places: dict[str, set[str]] = {}
    for unit in UNIT_FOLDERS:
        with Database.inspect(run.trial.database(unit)) as database:
            for entry in database.logs()[0].entries():
                if entry.message_id:
                    places.setdefault(entry.message_id, set()).add(unit)
    assert all(1 == len(found) for found in places.values())


def test_fields_are_ids_columns_and_counts_but_for_the_one_message_of_values() -> None:
    """Whoever adds a message that carries text must come by here."""
    texts = {kind.__name__ for kind in FLOWS for field in fields(kind) if str(field.type) not in ("bytes", "int")}
    assert {"AttributeValues"} == texts
