"""Where an owner stands, by its own log and by what the units say."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from unveil.cli.owner.approvals import Approvals
from unveil.cli.owner.folder import CHANGED, has_changed, home, looking
from unveil.cli.owner.lines import count
from unveil.cli.owner.standing import UNITS, Standing
from unveil.cli.owner.verdict import MEND, NOT_COMPLETE, PATIENCE, Verdict, Word
from unveil.cli.owner.verdict import plain as words
from unveil.errors import InputError, UnveilError
from unveil.files.read import read_records
from unveil.projects.membership import Membership, owner_membership
from unveil.projects.owner_config import OwnerConfig
from unveil.protocol.roles import RECORD_UNIT, Role
from unveil.roles.owner import policy_file
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.runtime.owner.folder import unit_client
from unveil.runtime.worker import neighbours, unit_address
from unveil.settings.reader import read_text

_AGREED: Final = {
    None: "not known yet: the other owner has not shown its own, or no answer was fetched",
    True: "the owners agree",
    False: "keys or parameters differ",
}
_APPROVED: Final = {"none": (), "review": (REVIEW_LAYER,), "all": (ATTRIBUTE_LAYER, REVIEW_LAYER)}


def report(config: OwnerConfig, *, demonstration: bool) -> dict[str, Any]:
    """Everything that `unveil owner status` tells. No key is read for it, and of the data only whether it changed."""
    member = owner_membership(config, demonstration=demonstration, looking=True)
    with looking(config, member.project.name) as log:
        standing = Standing() if log is None else Standing().read(log)
        acknowledged = 0 if log is None else standing.acknowledged(log)
        to_send = 0 if log is None else log.counts()["waiting"]
    told = Approvals(home(config)).given()
    approval, units = _approval(config, member), _units(member, config)
    word = Word.of(units[str(RECORD_UNIT)], str(member.address))
    upload = {"parts": standing.parts, "acknowledged": acknowledged}
    return {
        "project": member.project.name,
        "owner": config.name,
        "prepared": standing.records is not None,
        "records": standing.records,
        "fingerprint_shown": bool(standing.fingerprint),
        "agreed": standing.agreed,
        "data": _data(config, member, standing),
        "upload": upload,
        "set_aside": Verdict(home(config)).known() or (word.set_aside if _arrived(upload) else "") or None,
        "closed": word.closed,
        "complete": word.complete,
        "wishes": {unit: _wishes(standing, layer) for layer, unit in UNITS.items()},
        "waiting_for_approval": sum(standing.wished[layer].open for layer in approval),
        "approvals_to_take_up": len(told),
        "messages_to_send": to_send,
        "links": standing.linked,
        "units": units,
    }


def _data(config: OwnerConfig, member: Membership, standing: Standing) -> str | None:
    """What is wrong with the data since the linkage began; None if nothing is, or nothing began."""
    if not standing.digest:
        return None
    try:
        records = read_records(config.data, member.project.linkage)
    except InputError as error:
        return error.message
    return CHANGED if has_changed(records, standing) else None


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

    def ask(unit: Role) -> dict[str, Any]:
        try:
            with unit_client(config, member, unit, timeout=PATIENCE) as client:
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
    if told["data"]:
        yield f"data         {told['data']}"
    yield f"fingerprint  {_AGREED[told['agreed']] if told['fingerprint_shown'] else 'not shown to the record unit yet'}"
    parts = "not begun" if upload["parts"] is None else f"{upload['acknowledged']} of {upload['parts']} parts arrived"
    yield f"upload       {parts}"
    if told["set_aside"]:
        yield f"             set aside as a whole by the record unit: {told['set_aside']}"
    elif told["complete"] is False and _arrived(upload):
        yield f"             {NOT_COMPLETE}"
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
    return "; ".join(filter(None, map(words, [str(told.get("state")), ", ".join(parts)])))


def _word(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not known yet"}[value]
    return f"{value:,}" if isinstance(value, int) else str(value)


def _next(told: dict[str, Any], folder: object) -> str:
    upload = told["upload"]
    cases = (
        (told["data"], "put the data back as it was; no other command works until then"),
        (told["links"], f"unveil owner results {folder} --out links.csv"),
        (told["closed"], "nothing: the record unit has closed the project; ask whoever runs it"),
        (told["set_aside"], MEND),
        (told["waiting_for_approval"] > told["approvals_to_take_up"], f"unveil owner approve {folder}"),
        (not _arrived(upload), f"unveil owner upload {folder}"),
    )
    return next((command for holds, command in cases if holds), f"unveil owner run {folder}")


def _arrived(upload: dict[str, Any]) -> bool:
    return upload["parts"] is not None and upload["acknowledged"] == upload["parts"]
