"""What is not in the table of flows is refused by the units as they run, and so is every field that is not declared."""

from __future__ import annotations

import itertools
import json
import secrets

import pytest
from live_units import LiveUnits, parted, undated
from sample_messages import samples
from test_authorisation import REFUSAL
from two_projects import OWNERS, PARTIES

from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.protocol import codec
from unveil.protocol.flows import FLOWS
from unveil.protocol.messages import Message
from unveil.protocol.roles import Role
from unveil.storage.database import Database
from unveil.transport.http.endpoints.messages import MESSAGE

KINDS = sorted(FLOWS, key=lambda kind: kind.__name__)


def _role(party: str) -> Role:
    return Role.OWNER if party in OWNERS else UNIT_FOLDERS[party]


def test_there_is_a_sample_of_every_kind() -> None:
    """So that no kind is left out below."""
    assert set(FLOWS) == set(samples())


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_only_the_flows_of_the_table_are_taken(units: LiveUnits, unit: str, kind: type[Message]) -> None:
    """Every kind × sender × recipient; what is refused leaves no trace in the log."""
    message = samples()[kind]
    for party in PARTIES:
        sender, number = _role(party), secrets.token_hex(8)
        with units.line(unit, f"alpha-{party}") as line:
            path = f"/v1/projects/alpha/messages/{number}"
            answer = line.ask("PUT", path, codec.encode(message), "application/octet-stream")
        status, body = parted(answer)
        if sender.value not in MESSAGE.callers[UNIT_FOLDERS[unit]]:
            assert REFUSAL == undated(answer)
        elif (sender, UNIT_FOLDERS[unit]) in FLOWS[kind]:
            assert status in {204, 422, 425}
            assert b"not allowed" not in body
        else:
            assert 422 == status
            assert b"not allowed to" in body
        known = status == 204
        with Database.inspect(units.folder.database(unit)) as database:
            log = next(each for each in database.logs() if each.name == "alpha")
            name = f"owner {party}" if sender is Role.OWNER else sender.value
            assert known == (log.find(name, number) is not None)


def _changed(frame: bytes, change: str) -> bytes:
    """The frame with something in its header that is not declared."""
    length = int.from_bytes(frame[4:8], "little")
    header, columns = json.loads(frame[8 : 8 + length]), frame[8 + length :]
    match change:
        case "a field more":
            header["fields"]["zznote"] = 1
        case "a column more":
            header["columns"].append(["zznote", 6])
            columns += b"zznote"
        case "a key more":
            header["zznote"] = "zznote"
        case "bytes behind":
            columns += b"zznote"
        case "a column twice":
            header["columns"].append(header["columns"][0] if header["columns"] else ["zznote", 0])
        case "another kind":
            header["kind"] = "Note"
        case "a field less":
            (header["columns"] or [None]).pop()
            header["fields"] = {}
    text = json.dumps(header).encode()
    return frame[:4] + len(text).to_bytes(4, "little") + text + columns


CHANGES = (
    "a field more",
    "a column more",
    "a key more",
    "bytes behind",
    "a column twice",
    "another kind",
    "a field less",
)


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_what_is_not_declared_is_refused(units: LiveUnits, unit: str) -> None:
    """Every kind that the unit takes × everything that may be wrong with its fields."""
    for (kind, flows), change in itertools.product(FLOWS.items(), CHANGES):
        senders = [sender for sender, recipient in flows if recipient is UNIT_FOLDERS[unit]]
        for sender in senders:
            party = next(each for each in PARTIES if _role(each) is sender)
            status, body = units.put(unit, f"alpha-{party}", _changed(codec.encode(samples()[kind]), change))
            assert 422 == status, (kind, change)
            assert b"zznote" not in body  # the sender's words are not repeated
