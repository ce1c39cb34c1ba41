"""Key and parameters are compared before anything is uploaded, and a mistake can be mended on the way."""

from __future__ import annotations

from collections import deque

import pytest
from logged_run import SCHEMAS, LoggedRun, whole
from small_project import KEY, OWNERS, SCHEMA, A, B, make_owner, make_record_unit, with_protocol

from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Machine, receive, settle
from unveil.protocol.messages import Agreement, Fingerprint, JoinTable, LinkQuality, LinkTable, Message, RecordEncodings
from unveil.protocol.roles import RECORD_UNIT, Address
from unveil.roles.owner import machine as owner_machine
from unveil.schema import Schema

ONE_LAYER = with_protocol(SCHEMA, layers=1)
OTHER_KEY = b"another invented owner key, 32 b"


def with_more_hashes(schema: Schema) -> Schema:
    """The schema with one more hash function for the last attribute."""
    *rest, last = schema.attributes
    return schema.model_copy(update={"attributes": (*rest, last.model_copy(update={"h": last.h + 1}))})


def kinds(machines: dict[Address, Machine], envelopes: list[Envelope]) -> list[type[Message]]:
    """Deliver these messages and all that follows from them; the kinds that were on the wire, in order."""
    wire, seen = deque(envelopes), []
    while wire:
        envelope = wire.popleft()
        seen.append(type(envelope.message))
        wire.extend(receive(machines[envelope.recipient], envelope))
    return seen


@pytest.mark.parametrize("differs", ["key", "schema"])
def test_owners_that_disagree_upload_nothing_until_the_mistake_is_mended(differs: str) -> None:
    """Another key, or the same key with another number of hash functions; the honest owner has to do nothing again."""
    other = with_more_hashes(ONE_LAYER) if differs == "schema" else ONE_LAYER
    wrong = make_owner(B, schema=other, key=OTHER_KEY if differs == "key" else KEY)
    a, unit = make_owner(A, schema=ONE_LAYER), make_record_unit(ONE_LAYER)
    parties: dict[Address, Machine] = {A: a, B: wrong, RECORD_UNIT: unit}
    assert [Fingerprint] * 2 + [Agreement] * 2 == kinds(parties, [*settle(a), *settle(wrong)])
    assert (False, False, False) == (unit.intake.agreed, a.agreed, wrong.agreed)
    assert (False, False, {}) == (a.uploaded, wrong.uploaded, unit.intake.uploads)
    right = make_owner(B, schema=ONE_LAYER)
    parties[B] = right
    expected = [Fingerprint, *[Agreement] * 2, *[RecordEncodings] * 2]
    expected += [kind for kind in (LinkQuality, LinkTable, JoinTable) for _ in range(2)]
    assert expected == kinds(parties, settle(right))
    assert (True, True) == (a.agreed, right.agreed)
    assert [6, 6] == [len(party.link_ids) for party in (a, right)]


def messages(run: LoggedRun) -> list[Envelope]:
    """All that the owners sent."""
    return [one for party in OWNERS for some in run.parties[party].sent for one in some]


@pytest.mark.parametrize("size", [1, 1000, 3000])
def test_uploads_in_parts_lead_to_the_same_links(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of so many bytes, also of one record each, whatever order they come in."""
    in_one_piece = whole("decoys").link_ids
    monkeypatch.setattr(owner_machine, "PART", size)
    for choose in (lambda _: 0, lambda n: n - 1, lambda n: n // 2):
        run = LoggedRun(SCHEMAS["decoys"], choose=choose).run()
        parts = sum(isinstance(one.message, RecordEncodings) for one in messages(run))
        assert parts >= (80 if size == 1 else 4)
        assert in_one_piece == run.link_ids
