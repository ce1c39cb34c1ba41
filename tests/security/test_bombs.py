"""Small messages that would grow: refused by the real units before they do."""

from __future__ import annotations

import gzip
import json
import os
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from live_units import LiveUnits, parted
from sample_messages import M_A, WIDTH, attribute_encodings, record_encodings
from two_projects import FRAME

from patience import wait_until
from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.protocol import codec
from unveil.protocol.frames import VERSION
from unveil.protocol.messages import ID, MOST_PARTS, AttributeValues, Fingerprint, Refusal

MAGIC = b"UNV" + bytes([VERSION])
OCTETS = "application/octet-stream"
PATH = "/v1/projects/beta/messages/"
ALLOWED = 96 << 20  # bytes by which all bombs together may make the units' process grow


@pytest.fixture(autouse=True, scope="module")
def bounded(units: LiveUnits) -> Iterator[None]:
    """Whatever the tests below send, the units' memory stays in bounds."""
    for unit in UNIT_FOLDERS:  # loads what a unit loads when its first message comes
        assert units.put(unit, "beta-north", Refusal(bytes(ID)))[0] in {422, 425}
    before = units.memory()
    yield
    assert units.memory() - before < ALLOWED


def _frame(header: bytes, rest: bytes = b"", *, length: int | None = None) -> bytes:
    return MAGIC + (len(header) if length is None else length).to_bytes(4, "little") + header + rest


def _filled(start: bytes, piece: bytes, end: bytes) -> bytes:
    return start + piece * ((FRAME - 200) // len(piece)) + end


def _header(**changes: object) -> bytes:
    return json.dumps({"kind": "RecordEncodings", "fields": {}, "columns": []} | changes).encode()


FRAMES: dict[str, Callable[[], bytes]] = {
    "a header longer than four gigabytes": lambda: _frame(b"{}", length=(1 << 32) - 1),
    "a column of a terabyte": lambda: _frame(_header(columns=[["handles", 1 << 40]])),
    "a column of more than any number": lambda: _frame(_header(columns=[["handles", 1 << 100]])),
    "filters of four billion bits": lambda: _frame(
        _header(
            fields={"part": 0, "parts": 1, "m": (1 << 32) - 1, "blocking_keys": (1 << 32) - 1},
            columns=[["handles", ID], ["filters", 0], ["blocking", 0]],
        ),
        bytes(ID),
    ),
    "lists in lists": lambda: _frame(_filled(b'{"kind":', b"[", b"}")),
    "objects in objects": lambda: _frame(_filled(b"", b'{"a":', b"}")),
    "a long number": lambda: _frame(_filled(b'{"kind":', b"9", b"}")),
    "a million empty lists": lambda: _frame(_filled(b'{"kind":"x","fields":{},"columns":[', b"[],", b"[]]}")),
    "a million objects": lambda: _frame(_filled(b'{"kind":"x","columns":[],"fields":[', b"{},", b"{}]}")),
}


@pytest.mark.parametrize("bomb", FRAMES)
@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_frames_that_announce_or_unfold_more_than_they_hold(units: LiveUnits, unit: str, bomb: str) -> None:
    """Eight at the same time, from a party that is allowed to send."""
    sender = "beta-north"
    frame = FRAMES[bomb]()
    assert len(frame) <= FRAME
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: units.put(unit, sender, frame), range(8)))
    assert {422} == {status for status, _ in answers}


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "identity", "gzip, gzip"])
def test_encoded_bodies_are_refused_unread(units: LiveUnits, encoding: str) -> None:
    """A megabyte of zeros fits into a kilobyte."""
    body = gzip.compress(bytes(1 << 20))
    with units.line("record-unit", "beta-north") as line:
        answer = line.ask("PUT", f"{PATH}zip", body, OCTETS, more=f"Content-Encoding: {encoding}\r\n")
    assert 415 == parted(answer)[0]


@pytest.mark.parametrize("length", [FRAME + 1, 1 << 40, 10**30])
def test_a_body_that_is_announced_too_large_is_refused_before_it_comes(units: LiveUnits, length: int) -> None:
    """Nothing of it is sent here, so the answer cannot depend on it."""
    head = f"PUT {PATH}large HTTP/1.1\r\nHost: unit\r\nContent-Type: {OCTETS}\r\nContent-Length: {length}\r\n\r\n"
    with units.line("record-unit", "beta-north") as line:
        status, _ = parted(line.send(head.encode()))
    assert status in {400, 413}  # beyond 64 bits the server does not even read it as a number


def test_a_body_without_a_length_is_cut_off(units: LiveUnits) -> None:
    """Chunk after chunk: refused at the limit, not at the end."""
    head = f"PUT {PATH}chunks HTTP/1.1\r\nHost: unit\r\nContent-Type: {OCTETS}\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    with units.line("record-unit", "beta-north") as line:
        status, _ = parted(line.send(head.encode() + chunk * (FRAME // 0x10000 + 2)))
    assert 413 == status


def test_deep_and_wide_json_is_refused(units: LiveUnits) -> None:
    """The reviewer's door takes little, and nothing that nests."""
    token = units.tokens["review-unit"]["reviewer beta"]
    path = f"/v1/projects/beta/tasks/{'0' * 32}/verdict"
    for body, expected in ((b"[" * 60_000, 422), (b'{"a":' * 10_000, 422), (b'"' + b"a" * (1 << 20), 413)):
        with units.line("review-unit") as line:
            assert expected == parted(line.ask("PUT", path, body, "application/json", token=token))[0]


def test_uploads_in_very_many_parts_take_no_room_in_advance(units: LiveUnits) -> None:
    """65,536 parts may be announced; what is held is what has come."""
    for owner in ("north", "south"):
        assert 204 == units.put("record-unit", f"beta-{owner}", Fingerprint(bytes(ID)))[0]
    before = units.memory()
    accepted = [_until_agreed(units, codec.encode(record_encodings(part=7, parts=MOST_PARTS)))]
    accepted += [
        units.put("record-unit", "beta-north", record_encodings(part=part, parts=MOST_PARTS))[0]
        for part in (0, MOST_PARTS - 1)
    ]
    assert [204] * 3 == accepted
    assert units.memory() - before < 8 << 20
    frame = codec.encode(record_encodings(part=9, parts=MOST_PARTS))
    more = frame.replace(str(MOST_PARTS).encode(), str(MOST_PARTS + 1).encode())
    assert 422 == units.put("record-unit", "beta-north", more)[0]


def _until_agreed(units: LiveUnits, frame: bytes) -> int:
    """The status once the unit has compared the fingerprints."""
    answers: list[tuple[int, bytes]] = []

    def agreed() -> bool:
        answers.append(units.put("record-unit", "beta-north", frame))
        return b"do not agree" not in answers[-1][1]

    wait_until(agreed, "the fingerprints are compared")
    return answers[-1][0]


def test_a_flood_for_tasks_that_nobody_opened_leaves_nothing(units: LiveUnits) -> None:
    """Values that no task asked for are never held, however many come."""
    before = units.head("review-unit", "beta"), units.memory()
    with units.line("review-unit", "beta-south") as line:
        for number in range(300):
            message = AttributeValues(os.urandom(ID), ({"city": secrets.token_hex(500)},))
            frame = codec.encode(message if number % 2 else Refusal(os.urandom(ID)))
            assert 425 == parted(line.ask("PUT", f"{PATH}flood{number}", frame, OCTETS))[0]
    assert before[0] == units.head("review-unit", "beta")
    assert units.memory() - before[1] < 8 << 20


def test_a_flood_for_pairs_that_nobody_announced_leaves_nothing(units: LiveUnits) -> None:
    """An answer may come before its batch: none is held, its sender tries again."""
    pairs = (FRAME - 4096) // (ID + WIDTH * (M_A // 8 + 1))
    assert pairs > 2 * 1000  # a message alone is more than the largest batch
    before = units.head("attribute-unit", "beta")
    statuses = [units.put("attribute-unit", "beta-south", attribute_encodings(pairs))[0] for _ in range(4)]
    assert {425} == set(statuses)
    assert before == units.head("attribute-unit", "beta")
