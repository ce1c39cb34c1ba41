"""How far an owner is, by its own log and by what the units say."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, Final

from unveil.errors import InputError, UnveilError
from unveil.projects.membership import Membership, owner_membership
from unveil.projects.owner_config import OwnerConfig
from unveil.protocol.data_warnings import DataWarning
from unveil.protocol.roles import RECORD_UNIT, Role
from unveil.protocol.stages import StageStatus, linkage_stage
from unveil.roles.owner import policy_file
from unveil.roles.owner.policy import APPROVED
from unveil.runtime.owner.approvals import Approvals
from unveil.runtime.owner.folder import home, read_own_table, unit_client
from unveil.runtime.owner.pause import Pause
from unveil.runtime.owner.progress import OwnerProgress, WishProgress
from unveil.runtime.owner.report import OwnerReport
from unveil.runtime.owner.unit_watch import PATIENCE
from unveil.runtime.owner.upload_judgement import UploadJudgement, set_aside_text, upload_status
from unveil.runtime.owner.view import CHANGED, has_changed, reading_log
from unveil.runtime.results_quality import ResultsQuality
from unveil.runtime.worker import neighbours, unit_address
from unveil.settings.reader import ProjectError, read_text
from unveil.transport.status import AttributeUnitStatus, RecordUnitStatus, UnitStatus

_COMMON: Final = frozenset(each.name for each in fields(UnitStatus))
_FLAGS: Final = ("fingerprints_agree", "uploads_complete", "finished")


@dataclass(frozen=True, slots=True)
class UploadProgress:
    """Parts of the upload, None before it was encoded, and those that are at the record unit."""

    parts: int | None = None
    acknowledged: int = 0

    @property
    def arrived(self) -> bool:
        """Whether all of it is there."""
        return self.parts is not None and self.acknowledged == self.parts


@dataclass(frozen=True, slots=True)
class UnitAnswer:
    """What a unit says; None if it says nothing, and then why."""

    status: UnitStatus | None = None
    why: str = ""

    @property
    def facts(self) -> dict[str, float | bool | None]:
        """Counts, shares and flags that the unit tells, by field; a flag of the record unit may be None: not known."""
        names = () if self.status is None else [each.name for each in fields(self.status)]
        found = {name: getattr(self.status, name) for name in names if name not in _COMMON}
        flags = _FLAGS if isinstance(self.status, RecordUnitStatus) and not self.status.closed else ()
        return {name: value for name, value in found.items() if name in flags or isinstance(value, bool | int | float)}

    @property
    def kept_out(self) -> list[tuple[int, str]]:
        """How many records of ours were kept out, and why."""
        uploads = (self.status.uploads or {}).values() if isinstance(self.status, RecordUnitStatus) else ()
        found = [(number, why) for upload in uploads for why, number in (upload.kept_out or {}).items()]
        whole = [(upload.records_set_aside or 0, set_aside_text(upload)) for upload in uploads if upload.set_aside]
        return found + [(number, f"all, since {why}") for number, why in whole]

    @property
    def warnings(self) -> tuple[DataWarning, ...]:
        """What looks wrong with the data of both owners together."""
        if not isinstance(self.status, RecordUnitStatus | AttributeUnitStatus):
            return ()
        return self.status.warnings or ()

    @property
    def refusals(self) -> list[str]:
        """Why our last message was not taken, if it was not."""
        return [] if self.status is None else list((self.status.refused or {}).values())

    def as_json(self) -> dict[str, Any]:
        """The status, or why there is none."""
        if self.status is None:
            return {"reachable": False, "why": self.why}
        return {"reachable": True, **self.status.as_json()}


@dataclass(frozen=True, slots=True)
class OwnerStatus(OwnerReport):
    """How far an owner is, what waits, and what the units say."""

    project: str
    owner: str
    prepared: bool  #: whether handles were drawn
    records: int | None
    fingerprint_shown: bool
    agreed: bool | None  #: whether the owners share key and parameters; None: not known yet
    data: str | None  #: what is wrong with the data since the linkage began
    upload: UploadProgress
    set_aside: str | None  #: why the upload is of no use, if it is not
    closed: bool  #: whether the record unit has closed the project
    complete: bool | None  #: whether every owner's upload is usable; None: not known
    wishes: dict[str, WishProgress]
    waiting_for_approval: int
    approvals_to_take_up: int
    messages_to_send: int
    paused: bool  #: whether a person has stopped everything that leaves
    links: bool
    quality: ResultsQuality | None  #: how many links there are and how good they seem; None: not told, or not yet
    linkage: StageStatus | None  #: where the whole linkage stands, by what units say; None: they do not say
    units: dict[str, UnitAnswer]

    def as_json(self) -> dict[str, Any]:
        """The same as JSON can hold it; units say what `transport.status` describes."""
        linkage = None if self.linkage is None else self.linkage.as_json()
        return {
            **OwnerReport.as_json(self),
            "quality": None if self.quality is None else self.quality.as_json(),
            "linkage": linkage,
            "units": {unit: each.as_json() for unit, each in self.units.items()},
        }


def owner_status(config: OwnerConfig, *, demonstration: bool) -> OwnerStatus:
    """How far an owner is. No key is read for it, and of the data only whether it changed."""
    member = owner_membership(config, demonstration=demonstration, looking=True)
    with reading_log(config, member.project.name) as log:
        progress = OwnerProgress() if log is None else OwnerProgress().read(log)
        upload = UploadProgress(progress.parts, 0 if log is None else progress.acknowledged(log))
        to_send = 0 if log is None else log.counts()["waiting"]
    answers = Approvals(home(config)).given()
    approval, units = _approval(config, member), unit_answers(member, config)
    record_unit, address = units[str(RECORD_UNIT)].status, str(member.address)
    known = UploadJudgement(home(config), address).known()
    said = set_aside_text(upload_status(record_unit, address)) if upload.arrived else ""
    return OwnerStatus(
        project=member.project.name,
        owner=config.name,
        prepared=progress.records is not None,
        records=progress.records,
        fingerprint_shown=bool(progress.fingerprint),
        agreed=progress.agreed,
        data=None if known else _data(config, member, progress),
        upload=upload,
        set_aside=known or said or None,
        closed=record_unit is not None and record_unit.closed,
        complete=record_unit.uploads_complete if isinstance(record_unit, RecordUnitStatus) else None,
        wishes=progress.wishes_by_unit(),
        waiting_for_approval=sum(progress.wishes[layer].open for layer in approval),
        approvals_to_take_up=len(answers),
        messages_to_send=to_send,
        paused=Pause(home(config)).is_on(),
        links=progress.linked,
        quality=ResultsQuality.of(progress.quality),
        linkage=stage_by_units(units),
        units=units,
    )


def stage_by_units(units: Mapping[str, UnitAnswer]) -> StageStatus | None:
    """Where the whole linkage stands, by what units say."""
    told = {unit: answer.status.stage for unit, answer in units.items() if answer.status is not None}
    return linkage_stage({unit: stage for unit, stage in told.items() if stage is not None})


def _data(config: OwnerConfig, member: Membership, progress: OwnerProgress) -> str | None:
    """What is wrong with the data since it was uploaded; None if nothing is, or nothing was."""
    if not progress.digest or progress.parts is None:
        return None
    try:
        records = read_own_table(config, member).records
    except (InputError, ProjectError) as error:
        return error.message
    return CHANGED if has_changed(records, progress) else None


def _approval(config: OwnerConfig, member: Membership) -> tuple[int, ...]:
    """The layers at which wishes wait for a person's approval."""
    if config.policy is None:
        return ()
    names = member.project.linkage.names
    return APPROVED[policy_file.parse(read_text(config.policy), names=names, source=str(config.policy)).approval]


def unit_answers(member: Membership, config: OwnerConfig) -> dict[str, UnitAnswer]:
    """What each unit says, or why it says nothing; all are asked at once."""

    def ask(unit: Role) -> UnitAnswer:
        try:
            with unit_client(config, member, unit, timeout=PATIENCE) as client:
                return UnitAnswer(client.status())
        except UnveilError as error:
            return UnitAnswer(why=error.message)

    units = neighbours(Role.OWNER)
    with ThreadPoolExecutor(len(units)) as pool:
        return dict(zip((str(unit_address(unit)) for unit in units), pool.map(ask, units), strict=True))
