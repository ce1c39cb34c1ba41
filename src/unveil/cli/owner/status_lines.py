"""How far an owner is, and what to do next, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unveil.cli.owner.lines import count, percent
from unveil.cli.owner.phase_lines import NOT_COMPLETE
from unveil.cli.quality_lines import quality_line
from unveil.runtime.owner.status import OwnerStatus, UnitAnswer
from unveil.runtime.owner.upload_judgement import MEND

_AGREED: Final = {
    None: "not known yet: the other owner has not shown its own, or no answer was fetched",
    True: "the owners agree",
    False: "keys or parameters differ",
}
_YES_OR_NO: Final = {True: "yes", False: "no", None: "not known yet"}
_PAUSED: Final = {True: ", and nothing leaves: paused", False: ""}
_LONGEST: Final = 300  # characters of what a unit says


def status_lines(status: OwnerStatus, folder: object) -> Iterator[str]:
    """How far the owner is, what the units say, and what to do next."""
    upload = status.upload
    yield f"project      {status.project}, owner {status.owner}"
    yield f"prepared     {'no' if status.records is None else count(status.records, 'record')}"
    if status.data:
        yield f"data         {status.data}"
    yield f"fingerprint  {_AGREED[status.agreed] if status.fingerprint_shown else 'not shown to the record unit yet'}"
    parts = "not begun" if upload.parts is None else f"{upload.acknowledged} of {upload.parts} parts arrived"
    yield f"upload       {parts}"
    if status.set_aside:
        yield f"             set aside as a whole by the record unit: {status.set_aside}"
    elif status.complete is False and upload.arrived:
        yield f"             {NOT_COMPLETE}"
    for unit, each in status.wishes.items():
        answered = f"{each.answered:,} answered, {each.refused:,} refused, {each.waiting:,} waiting"
        yield f"wishes       to the {unit}: {answered}"
    if status.waiting_for_approval:
        yield f"approval     {count(status.waiting_for_approval, 'wish waits', 'wishes wait')} for it"
    yield f"to be sent   {count(status.messages_to_send, 'message')}{_PAUSED[status.paused]}"
    yield from _linkage_lines(status)
    for unit, answer in status.units.items():
        yield f"{unit:<14} {unit_line(answer)}"
    for answer in status.units.values():
        for warning in answer.warnings:
            yield f"warning      {warning.sentence}"
    yield f"next         {_next(status, folder)}"


def _linkage_lines(status: OwnerStatus) -> Iterator[str]:
    """Where the whole linkage stands, and its result."""
    if status.linkage is not None:
        yield f"linkage      {status.linkage.sentence}"
    yield f"links        {'here' if status.links else 'not here yet'}"
    if status.quality is not None:
        yield f"quality      {quality_line(status.quality)}"


def unit_line(answer: UnitAnswer) -> str:
    """What a unit says, or why it says nothing."""
    if answer.status is None:
        return answer.why
    parts = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in answer.facts.items()]
    parts += [f"kept out: {number:,} ({why})" for number, why in answer.kept_out]
    if answer.status is not None and answer.status.set_back:
        parts.append("its log was set back: it decides and sends nothing until its newest database is there")
    parts += [f"our last message was refused: {why}" for why in answer.refusals]
    return "; ".join(filter(None, [answer.status.state or "state not known", ", ".join(parts)[:_LONGEST]]))


def _value(value: float | bool | None) -> str:  # noqa: FBT001 - a value to be shown
    if value is None or isinstance(value, bool):
        return _YES_OR_NO[value]
    return f"{value:,}" if isinstance(value, int) else percent(value)


def _next(status: OwnerStatus, folder: object) -> str:
    cases = (
        (status.data, "put the data back as it was; no other command works until then"),
        (status.links, f"unveil owner results {folder} --out links.csv"),
        (status.paused, f"unveil owner resume {folder}"),
        (status.closed, "nothing: the record unit has closed the project; ask whoever runs it"),
        (status.set_aside, MEND),
        (status.waiting_for_approval > status.approvals_to_take_up, f"unveil owner approve {folder}"),
        (not status.upload.arrived, f"unveil owner upload {folder}"),
    )
    return next((command for holds, command in cases if holds), f"unveil owner run {folder}")
