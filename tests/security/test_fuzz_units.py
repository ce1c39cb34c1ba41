"""The three OpenAPI documents against the real units. UNVEIL_FUZZ_CASES sets the number of requests for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from fuzz_target import CASES, Target, fuzz
from live_units import LiveUnits, serving
from sample_messages import WIDTH, attribute_encodings, id_, record_encodings, samples
from two_projects import OWNERS

from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.linkage.shown import SHOWN
from unveil.protocol import codec
from unveil.protocol.flows import FLOWS
from unveil.protocol.messages import ID, AttributeValues, Fingerprint, Message, Refusal, ReviewTask
from unveil.protocol.roles import Role
from unveil.schema import built_in
from unveil.transport.http.app import openapi_document
from unveil.transport.http.tls import Credentials

PENDING = 30  # tasks that wait for a reviewer


def _frames(unit: str, role: str) -> Sequence[bytes]:
    """Messages that this role may send to this unit: of every kind, and some more that lead further."""
    found = [one for kind, one in samples().items() if (Role(role), UNIT_FOLDERS[unit]) in FLOWS[kind]]
    if role == Role.OWNER.value:
        more: dict[str, list[Message]] = {
            "record-unit": [record_encodings(part=part, parts=4, records=3) for part in range(4)],
            "attribute-unit": [attribute_encodings(3), Refusal(id_() + id_())],
            "review-unit": [AttributeValues(id_(), ({},))],
        }
        found += more[unit]
    return [codec.encode(one) for one in found]


def _prepare(live: LiveUnits, unit: str) -> list[str]:
    """Bring the unit so far that most of what it can do can be reached; tasks that it knows."""
    if unit == "record-unit":
        for owner in OWNERS:
            assert 204 == live.put(unit, f"alpha-{owner}", Fingerprint(bytes(ID)))[0]
    if unit != "review-unit":
        return []
    tasks = [id_() for _ in range(PENDING)]
    width = WIDTH * PENDING
    message = ReviewTask(WIDTH, b"".join(tasks), bytes([SHOWN]) * width, bytes(width))
    assert 204 == live.put(unit, "alpha-attribute-unit", message)[0]
    for owner in OWNERS:
        values = tuple({name: f"{name} of {owner}" for name in built_in().names} for _ in tasks)
        assert 204 == live.put(unit, f"alpha-{owner}", AttributeValues(b"".join(tasks), values))[0]
    return [task.hex() for task in tasks]


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_a_unit_keeps_to_its_document_whatever_is_sent(unit: str, tmp_path: Path) -> None:
    """No failure of the unit, no answer that the document does not declare, nothing accepted that it excludes."""
    with serving(tmp_path, wait_s=0.02) as live:
        tasks = _prepare(live, unit)
        people = Credentials(live.folder.authority)
        callers: dict[str, list[tuple[Credentials, str | None]]] = {"anyone": [(people, None)]}
        for role in ("operator", "reviewer"):
            callers[role] = [(people, live.tokens[unit][f"{role} alpha"])]
        callers["owner"] = [(live.folder.credentials(f"alpha-{owner}"), None) for owner in OWNERS]
        for other, role_ in UNIT_FOLDERS.items():
            callers[role_.value] = [(live.folder.credentials(f"alpha-{other}"), None)]
        known = {"project": ["alpha"], "task": tasks or ["0" * 32], "message_id": [f"m{n}" for n in range(100)]}
        known["attribute"] = list(built_in().names)
        target = Target(
            live.url(unit), openapi_document(UNIT_FOLDERS[unit]), callers, known, lambda role: _frames(unit, role)
        )
        fuzz(target)
        log = (tmp_path / "units.log").read_text(encoding="utf-8")
        for event in ("failed", "courier failed", "not decided", "library"):
            assert f'"event": "{event}"' not in log
    assert target.seen.total() >= 0.9 * CASES
    reached = {(operation.split("/")[-1], status) for operation, status in target.seen}
    expected = {
        ("{message_id}", 204),
        ("{message_id}", 422),
        ("{project}", 200),
        ("openapi.json", 200),
        ("metrics", 200),
    }
    if unit == "review-unit":
        expected |= {("tasks", 200), ("cells", 200), ("verdict", 204), ("verdict", 422)}
    else:
        expected |= {("mailbox", 204 if unit == "attribute-unit" else 200), ("mailbox", 422)}
    assert expected <= reached
