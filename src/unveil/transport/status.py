"""
What each unit tells about a project, field by field.

A unit builds one of these for whoever asks and sends it as JSON; the caller reads it back. Nobody parses a sentence of
another party: whatever a program acts on is a field. Each field's metadata holds its description, for those who
document it, and how it is read.

Reading is tolerant, since the other side may be of another release, broken or hostile: unknown fields are ignored, and
what is missing or malformed is None, which is to say "not known". Texts are cut, and made safe for a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from unveil.protocol.data_warnings import DataWarning, WarningKind
from unveil.protocol.roles import Role
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.transport.port import JSON

OPEN: Final = "open"
CLOSED: Final = "closed"
LONGEST_TEXT: Final = 300  # characters of another party's text
_LARGEST_COUNT: Final = 2**63 - 1
_KINDS: Final = [kind.value for kind in WarningKind]  # a list: what is looked for may be anything that JSON can hold
_MOST_WARNINGS: Final = 1000  # there is at most one for each key and attribute, and a few for each owner

#: Reads a value of a JSON document; None if it is not what it should be.
FieldReader = Callable[[object], Any]


def printable(text: str) -> str:
    """Another party's text, cut, without anything that a terminal would obey."""
    return "".join(letter for letter in text[:LONGEST_TEXT] if letter.isprintable())


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _LARGEST_COUNT else None


def _share(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= 1 else None


def _seconds(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= _LARGEST_COUNT else None


def _text(value: object) -> str | None:
    return printable(value) or None if isinstance(value, str) else None


def _state(value: object) -> str | None:
    return value if isinstance(value, str) and value in {OPEN, CLOSED} else None


def _by_name(read: FieldReader) -> FieldReader:
    """How a JSON object is read whose values are read so; entries that cannot be read are left out."""

    def mapping(value: object) -> dict[str, Any] | None:
        if not isinstance(value, Mapping):
            return None
        found = {printable(name): read(each) for name, each in value.items() if isinstance(name, str)}
        return {name: each for name, each in found.items() if each is not None}

    return mapping


def _figure(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _LARGEST_COUNT else None


def _warning(value: object) -> DataWarning | None:
    """A warning of a kind that is known; its sentence is made anew, whatever the other side says."""
    if not isinstance(value, Mapping):
        return None
    kind, subject = value.get("kind"), _text(value.get("subject"))
    if kind not in _KINDS or subject is None:
        return None
    return DataWarning(WarningKind(kind), subject, _by_name(_figure)(value.get("figures")) or {})


def _stage(value: object) -> StageStatus | None:
    """A stage whose words are known; its sentence is made anew, whatever the other side says."""
    if not isinstance(value, Mapping):
        return None
    kind, awaited, counted = value.get("kind"), value.get("waits_for"), value.get("counted")
    if kind not in list(StageKind) or awaited not in list(Awaited):
        return None
    if counted not in list(CountedKind):
        return StageStatus(StageKind(kind), Awaited(awaited))
    done, of = _count(value.get("done")), _count(value.get("of"))
    return StageStatus(StageKind(kind), Awaited(awaited), CountedKind(counted), done, of)


def _warnings(value: object) -> tuple[DataWarning, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    return tuple(found for each in value[:_MOST_WARNINGS] if (found := _warning(each)) is not None)


def _about(description: str, read: FieldReader) -> dict[str, Any]:
    return {"description": description, "read": read}


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadStatus:
    """What the record unit found when it looked at an owner's upload."""

    kept_out: Mapping[str, int] | None = field(
        default=None, metadata=_about("by reason, records that are kept out of the comparison", _by_name(_count))
    )
    set_aside: str | None = field(
        default=None,
        metadata=_about(
            "why the upload was set aside as a whole, never to be looked at again; null: it was not", _text
        ),
    )
    records_set_aside: int | None = field(
        default=None, metadata=_about("records of the upload that was set aside; 0 if it was not", _count)
    )
    uploads_left: int | None = field(
        default=None, metadata=_about("uploads that the owner may still begin in this project", _count)
    )
    uploads_allowed: int | None = field(
        default=None, metadata=_about("uploads that an owner may begin in all, those that were set aside too", _count)
    )

    def as_json(self) -> dict[str, JSON]:
        """The same as JSON can hold it."""
        return _as_json(self)


def _upload(value: object) -> UploadStatus:
    """An upload that the unit has looked at, even if nothing of what it says about it can be read."""
    return UploadStatus(**_read(UploadStatus, value))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitStatus:
    """What every unit tells; of a unit whose role is not known, nothing else is."""

    project: str | None = field(default=None, metadata=_about("name of the project", _text))
    role: str | None = field(default=None, metadata=_about("role of the unit", _text))
    state: str | None = field(
        default=None,
        metadata=_about(f"`{OPEN}` or `{CLOSED}`; of a closed project what follows `refused` is null", _state),
    )
    refused: Mapping[str, str] | None = field(
        default=None,
        metadata=_about(
            "by party, why its last message was not taken, since the process started; parties see their own only",
            _by_name(_text),
        ),
    )
    stage: StageStatus | None = field(
        default=None,
        metadata=_about(
            "where the project stands at this unit: its `kind`, whom it `waits_for`, what is `counted`, `done` of "
            "`of`, and a `sentence`; to parties without counts, but owners are told how many of the agreed labels "
            "were given",
            _stage,
        ),
    )
    set_back: bool | None = field(
        default=None,
        metadata=_about(
            "whether another party knows of entries that the unit's log lacks, so that the unit decides and sends "
            "nothing until its newest database is back",
            _flag,
        ),
    )

    @property
    def closed(self) -> bool:
        """Whether the unit has closed the project."""
        return self.state == CLOSED

    def as_json(self) -> dict[str, JSON]:
        """The same as JSON can hold it: every field, null where nothing is known or told."""
        return _as_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordUnitStatus(UnitStatus):
    """What the record unit tells."""

    role: str | None = field(default=Role.RECORD_UNIT.value, metadata=_about("role of the unit", _text))
    fingerprints_agree: bool | None = field(
        default=None, metadata=_about("whether the owners share key and parameters; null: not compared yet", _flag)
    )
    uploads_complete: bool | None = field(
        default=None,
        metadata=_about("whether every owner's upload is there and usable, so that records can be compared", _flag),
    )
    comparing: float | None = field(
        default=None,
        metadata=_about("to operators, share of a comparison that is done, 0 to 1; null: none is under way", _share),
    )
    comparing_left: float | None = field(
        default=None,
        metadata=_about("to operators, seconds that the rest of a comparison may take; null: unknown", _seconds),
    )
    finished: bool | None = field(default=None, metadata=_about("whether the links are out", _flag))
    uploads: Mapping[str, UploadStatus] | None = field(
        default=None,
        metadata=_about(
            "by owner, what was found in its upload; without an entry it was not looked at yet; an owner sees its own "
            "only",
            _by_name(_upload),
        ),
    )
    kept_pairs: int | None = field(
        default=None,
        metadata=_about("to operators: candidate pairs that are held; 0 before they were compared", _count),
    )
    requested_pairs: int | None = field(
        default=None, metadata=_about("to operators: pairs that were wished for, decoys among them", _count)
    )
    warnings: tuple[DataWarning, ...] | None = field(
        default=None,
        metadata=_about(
            "blocking keys and filters that look wrong: of each `kind`, `subject`, `figures` and a `sentence`; to "
            "owners once the links are out, with figures of their own filters only",
            _warnings,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeUnitStatus(UnitStatus):
    """What the attribute unit tells."""

    role: str | None = field(default=Role.ATTRIBUTE_UNIT.value, metadata=_about("role of the unit", _text))
    pairs: int | None = field(default=None, metadata=_about("to operators: pairs compared", _count))
    labels: int | None = field(default=None, metadata=_about("to operators: labels that reviewers gave", _count))
    warnings: tuple[DataWarning, ...] | None = field(
        default=None,
        metadata=_about(
            "attributes that look as if one owner wrote them in another form, with the same fields; to owners once "
            "the last batch is through, without figures",
            _warnings,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewUnitStatus(UnitStatus):
    """What the review unit tells."""

    role: str | None = field(default=Role.REVIEW_UNIT.value, metadata=_about("role of the unit", _text))
    open_tasks: int | None = field(default=None, metadata=_about("to operators: tasks not decided yet", _count))
    pending: int | None = field(
        default=None, metadata=_about("to operators: of them, those that wait for a reviewer", _count)
    )


#: By role, what a unit tells.
STATUSES: Final[Mapping[str, type[UnitStatus]]] = {
    Role.RECORD_UNIT.value: RecordUnitStatus,
    Role.ATTRIBUTE_UNIT.value: AttributeUnitStatus,
    Role.REVIEW_UNIT.value: ReviewUnitStatus,
}


def descriptions(kind: type[UnitStatus | UploadStatus]) -> dict[str, str]:
    """What each field of a status means, in the order in which units send them."""
    return {each.name: each.metadata["description"] for each in fields(kind)}


def read_status(document: object) -> UnitStatus:
    """The status in a JSON document, of the kind that its role names; whatever the document is, nothing fails."""
    role = document.get("role") if isinstance(document, Mapping) else None
    kind = STATUSES.get(role, UnitStatus) if isinstance(role, str) else UnitStatus
    return kind(**_read(kind, document))


def _read(kind: type[UnitStatus | UploadStatus], document: object) -> dict[str, Any]:
    if not isinstance(document, Mapping):
        return {}
    return {each.name: each.metadata["read"](document[each.name]) for each in fields(kind) if each.name in document}


def _as_json(status: UnitStatus | UploadStatus) -> dict[str, JSON]:
    return {each.name: _value(getattr(status, each.name)) for each in fields(status)}


def _value(value: Any) -> JSON:
    if isinstance(value, UploadStatus | DataWarning | StageStatus):
        return value.as_json()
    if isinstance(value, tuple):
        return [_value(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _value(each) for name, each in value.items()}
    plain: JSON = value
    return plain
