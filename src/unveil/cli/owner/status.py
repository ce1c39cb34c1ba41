"""Where an owner stands, by its own log and by what the units say."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from unveil.cli.owner.approvals import Approvals
from unveil.cli.owner.folder import home, looking
from unveil.cli.owner.lines import count
from unveil.cli.owner.standing import UNITS, Standing
from unveil.errors import UnveilError
from unveil.owner import policy_file
from unveil.owner.ledger import ATTRIBUTE, REVIEW
from unveil.party.seat import neighbours, unit_address
from unveil.projects.membership import Membership, owner_membership
from unveil.projects.owner_config import OwnerConfig
from unveil.projects.settings_file import read_text
from unveil.protocol.roles import Role
from unveil.transport.client import UnitClient
from unveil.transport.tls import Credentials, client_context

_PATIENCE: Final = 5.0  # seconds for a unit to answer
_AGREED: Final = {
    None: "not known yet: the other owner has not shown its own, or no answer was fetched",
    True: "the owners agree",
    False: "keys or parameters differ",
}
_APPROVED: Final = {"none": (), "review": (REVIEW,), "all": (ATTRIBUTE, REVIEW)}


def report(config: OwnerConfig, *, demonstration: bool) -> dict[str, Any]:
    """Everything that `unveil owner status` tells. No data and no key is read for it."""
    member = owner_membership(config, demonstration=demonstration)
    with looking(config, member.project.name) as log:
        standing = Standing() if log is None else Standing().read(log)
        acknowledged = 0 if log is None else standing.acknowledged(log)
        to_send = 0 if log is None else log.counts()["waiting"]
    told = Approvals(home(config)).given()
    approval = _approval(config, member)
    return {
        "project": member.project.name,
        "owner": config.name,
        "prepared": standing.records is not None,
        "records": standing.records,
        "fingerprint_shown": bool(standing.fingerprint),
        "agreed": standing.agreed,
        "upload": {"parts": standing.parts, "acknowledged": acknowledged},
        "wishes": {unit: _wishes(standing, layer) for layer, unit in UNITS.items()},
        "waiting_for_approval": sum(standing.wished[layer].open for layer in approval),
        "approvals_to_take_up": len(told),
        "messages_to_send": to_send,
        "links": standing.linked,
        "units": _units(member, config),
    }


def _wishes(standing: Standing, layer: int) -> dict[str, int]:
    wished = standing.wished[layer]
    return {
        "received": wished.received,
        "answered": wished.answered,
        "refused": wished.refused,
        "waiting": wished.open,
        "values": wished.values,
    }


def _approval(config: OwnerConfig, member: Membership) -> tuple[int, ...]:
    """The layers at which wishes wait for a person's word."""
    if config.policy is None:
        return ()
    names = member.project.linkage.names
    return _APPROVED[policy_file.parse(read_text(config.policy), names=names, source=str(config.policy)).approval]


def _units(member: Membership, config: OwnerConfig) -> dict[str, dict[str, Any]]:
    """What each unit says, or why it says nothing; all are asked at once."""
    own, project = Credentials(config.tls.authority, member.certificate, member.key), member.project

    def ask(unit: Role) -> dict[str, Any]:
        try:
            tls = client_context(own, server_key=project.server_key(unit))
            with UnitClient(project.address(unit), tls, project.name, timeout=_PATIENCE) as client:
                return {"reachable": True, **client.status()}
        except UnveilError as error:
            return {"reachable": False, "why": error.message}

    units = neighbours(Role.OWNER)
    with ThreadPoolExecutor(len(units)) as pool:
        return dict(zip((str(unit_address(unit)) for unit in units), pool.map(ask, units), strict=True))


def lines(told: dict[str, Any], folder: object) -> Iterator[str]:
    """The same for people, and what to do next."""
    upload = told["upload"]
    yield f"project      {told['project']}, owner {told['owner']}"
    yield f"prepared     {count(told['records'], 'record') if told['prepared'] else 'no'}"
    yield f"fingerprint  {_AGREED[told['agreed']] if told['fingerprint_shown'] else 'not shown to the record unit yet'}"
    parts = "not begun" if upload["parts"] is None else f"{upload['acknowledged']} of {upload['parts']} parts arrived"
    yield f"upload       {parts}"
    for unit, each in told["wishes"].items():
        yield (
            f"wishes       to the {unit}: {each['answered']:,} answered, {each['refused']:,} refused, "
            f"{each['waiting']:,} waiting"
        )
    if told["waiting_for_approval"]:
        yield f"approval     {count(told['waiting_for_approval'], 'wish waits', 'wishes wait')} for it"
    yield f"to be sent   {count(told['messages_to_send'], 'message')}"
    yield f"links        {'here' if told['links'] else 'not here yet'}"
    for unit, said in told["units"].items():
        yield f"{unit:<14} {_said(said)}"
    yield f"next         {_next(told, folder)}"


def _said(told: dict[str, Any]) -> str:
    if not told["reachable"]:
        return str(told["why"])
    plain = {key: value for key, value in told.items() if key not in ("reachable", "project", "role", "state")}
    quarantined = plain.pop("quarantined", None) or {}
    refused = plain.pop("refused", None) or {}
    parts = [f"{key.replace('_', ' ')} {_word(value)}" for key, value in plain.items()]
    parts += [f"kept out: {number:,} ({why})" for reasons in quarantined.values() for why, number in reasons.items()]
    parts += [f"our last message was refused: {why}" for why in refused.values()]
    return f"{told.get('state')}; {', '.join(parts)}"


def _word(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not known yet"}[value]
    return f"{value:,}" if isinstance(value, int) else str(value)


def _next(told: dict[str, Any], folder: object) -> str:
    if told["links"]:
        return f"unveil owner results {folder} --out links.csv"
    if told["waiting_for_approval"] > told["approvals_to_take_up"]:
        return f"unveil owner approve {folder}"
    upload = told["upload"]
    if upload["parts"] is None or upload["acknowledged"] < upload["parts"]:
        return f"unveil owner upload {folder}"
    return f"unveil owner run {folder}"
