"""Repetitions, changed bodies and wrong addressees against a unit that really listens, and across its death."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet import Fleet, Zygote, client, fleet
from small_trial import new_trial, small_schema

from unveil.errors import Conflict
from unveil.lab.local_parties.logs import log_of
from unveil.protocol import codec
from unveil.protocol.messages import ID, Fingerprint, Refusal
from unveil.transport.failures import Refused, Rejected

FRAME = codec.encode(Fingerprint(bytes(ID)))
OTHER = codec.encode(Fingerprint(bytes([1]) * ID))


@pytest.fixture
def units(zygote: Zygote, tmp_path: Path) -> Iterator[Fleet]:
    """A record unit and an attribute unit that listen."""
    small = new_trial(tmp_path / "trial", seed=1, people=60, schema=small_schema(batches=(5,)))
    with fleet(zygote, small) as parties:
        parties.start("record-unit", "attribute-unit")
        for unit in ("record-unit", "attribute-unit"):
            parties.wait_until_listening(unit)
        yield parties


def test_an_id_has_one_body_also_after_the_unit_was_killed(units: Fleet) -> None:
    """A sender that repeats itself is answered alike; one that uses an id twice gets 409 and changes nothing."""
    small = units.small
    with client(small, "owner-a", "record-unit") as caller:
        caller.put("m1", FRAME)
        with log_of(small.trial, "record-unit") as log:
            before = log.head
        for _ in range(2):
            caller.put("m1", FRAME)
            with pytest.raises(Conflict):
                caller.put("m1", OTHER)
            assert units.kill("record-unit")
            units.start("record-unit")
            units.wait_until_listening("record-unit")
        with log_of(small.trial, "record-unit") as log:
            assert before == log.head
            assert [] == log.verify()


def test_an_id_belongs_to_its_sender(units: Fleet) -> None:
    """Another owner may happen to choose the same id, and must not learn that it did."""
    small = units.small
    with client(small, "owner-a", "record-unit") as one, client(small, "owner-b", "record-unit") as other:
        one.put("m1", FRAME)
        other.put("m1", FRAME)
        with log_of(small.trial, "record-unit") as log:
            senders = [entry.sender for entry in log.entries() if entry.kind == "message"]
        assert ["owner a", "owner b"] == sorted(senders)


def test_a_message_for_another_unit_or_project_is_not_taken(units: Fleet) -> None:
    """What was misdirected changes nothing and can still be delivered where it belongs."""
    small = units.small
    with log_of(small.trial, "attribute-unit") as log:
        before = log.head
    with client(small, "owner-a", "attribute-unit") as wrong, pytest.raises(Rejected):
        wrong.put("m1", FRAME)
    with client(small, "owner-a", "attribute-unit", "another") as wrong, pytest.raises(Refused):
        wrong.put("m1", codec.encode(Refusal(bytes(ID))))
    with log_of(small.trial, "attribute-unit") as log:
        assert before == log.head
    with client(small, "owner-a", "record-unit") as right:
        right.put("m1", FRAME)
