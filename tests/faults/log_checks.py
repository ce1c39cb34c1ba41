"""What must hold of the five logs after a run, whatever happened during it."""

from __future__ import annotations

from collections import Counter

from fleet import addresses
from small_trial import SmallTrial
from wire_tap import ACKNOWLEDGED, FETCHED, SENT, Line, read_tap

from unveil.lab.local_parties.folder import OWNERS, PARTY_FOLDERS, UNIT_FOLDERS
from unveil.lab.local_parties.logs import log_of
from unveil.projects.owner_config import OwnerConfig
from unveil.protocol import codec, frames
from unveil.protocol.machine import Erased
from unveil.protocol.messages import ID, AttributeEncodings, AttributeValues
from unveil.roles.owner.decisions import KINDS, Answered
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.runtime.owner.folder import OwnerFolder

Disclosures = Counter[tuple[str, int, bytes]]  # owner, layer, pair or task


def check_everything(small: SmallTrial) -> None:
    """All that the design promises about a run that has ended."""
    for party in PARTY_FOLDERS:
        with log_of(small.trial, party) as log:
            assert [] == log.verify(), party
    assert small.links == {party: folded_links(small, party) for party in OWNERS}
    check_disclosures(small)
    check_deliveries(small, read_tap(small.trial.root / "wire.jsonl")[0])


def folded_links(small: SmallTrial, owner: str) -> list[bytes]:
    """The links that an owner has, folded from its log once more."""
    config = OwnerConfig.load(small.trial.config(owner), demonstration=True)
    folder = OwnerFolder.load(config, demonstration=True)
    with folder.open(demonstration=True) as database:
        return list(folder.host(database).machine.link_ids)


def check_disclosures(small: SmallTrial) -> None:
    """Charged once, arrived once, and exactly those of the undisturbed run."""
    charged, arrived, expected = charged_disclosures(small), arrived_disclosures(small), expected_disclosures(small)
    assert {1} == set(charged.values())
    assert {1} == set(arrived.values())
    assert charged == arrived
    assert expected == charged


def charged_disclosures(small: SmallTrial) -> Disclosures:
    """What the owners' ledgers are made from: every granted entry of every answer."""
    found: Disclosures = Counter()
    for owner in OWNERS:
        with log_of(small.trial, owner) as log:
            for entry in log.entries():
                if entry.kind != "decision" or entry.body is None:
                    continue
                decision = frames.read(entry.body, KINDS)
                if isinstance(decision, Answered):
                    granted = [one for one, given in zip(_ids(decision.ids), decision.granted, strict=True) if given]
                    found.update((owner, decision.layer, one) for one in granted)
    return found


def arrived_disclosures(small: SmallTrial) -> Disclosures:
    """What the units' logs hold of the owners' answers, erased or not."""
    found: Disclosures = Counter()
    owners = {f"owner {name}": party for party, name in OWNERS.items()}
    for unit, layer in (("attribute-unit", ATTRIBUTE_LAYER), ("review-unit", REVIEW_LAYER)):
        with log_of(small.trial, unit) as log:
            for entry in log.entries():
                if entry.sender not in owners:
                    continue
                if entry.body is None:
                    ids = frames.read(entry.stub, {"Erased": Erased}).ids
                else:
                    message = codec.decode(entry.body)
                    assert isinstance(message, AttributeEncodings | AttributeValues)
                    ids = message.pair_ids if isinstance(message, AttributeEncodings) else message.task_ids
                found.update((owners[entry.sender], layer, one) for one in _ids(ids))
    return found


def expected_disclosures(small: SmallTrial) -> Disclosures:
    """The ledgers of the undisturbed run."""
    found: Disclosures = Counter()
    for party, owner in zip(OWNERS, small.world.owners, strict=True):
        entries = owner.ledger.entries()
        found.update(
            (party, layer, one.tobytes()) for layer, one in zip(entries.layer.tolist(), entries.ids, strict=True)
        )
    return found


def check_deliveries(small: SmallTrial, lines: list[Line]) -> None:
    """Whatever was acknowledged is in a log, once; an id has one body; no pair or task is disclosed under two ids."""
    unit_at = addresses(small)
    received = {party: _received(small, party) for party in PARTY_FOLDERS}
    for line in lines:
        if line.what == ACKNOWLEDGED:
            assert 1 == received[unit_at[line.address]][line.party, line.message_id], line
        elif line.what == FETCHED:
            assert 1 == received[line.party][unit_at[line.address], line.message_id], line
    for party, messages in received.items():
        assert {1} == set(messages.values()), party
    sent = [line for line in lines if line.what == SENT]
    bodies = {(line.party, line.address, line.message_id, line.digest) for line in sent}
    assert len({body[:3] for body in bodies}) == len(bodies)
    told = {(line.party, line.address, one, line.message_id) for line in sent for one in line.disclosed}
    assert len({one[:3] for one in told}) == len(told)


def _received(small: SmallTrial, party: str) -> Counter[tuple[str, str]]:
    """Sender and id of every message in a party's log, and how often it is there."""
    names = {role.value: unit for unit, role in UNIT_FOLDERS.items()} | {
        f"owner {name}": one for one, name in OWNERS.items()
    }
    with log_of(small.trial, party) as log:
        return Counter((names[entry.sender], entry.message_id) for entry in log.entries() if entry.kind == "message")


def _ids(column: bytes) -> list[bytes]:
    return [column[start : start + ID] for start in range(0, len(column), ID)]
