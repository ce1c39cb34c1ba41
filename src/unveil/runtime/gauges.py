"""
Every gauge of a unit, and what they show now: for Prometheus, and whoever has an operator's token.

The same figures stand on the operator's page. Gauges of projects are shown for the token's own project alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from unveil.protocol.stages import Awaited, StageKind
from unveil.runtime.answer_shares import SharesAnswered
from unveil.runtime.linkage_figures import LinkageFigures
from unveil.runtime.operations import ProjectFacts, UnitFacts
from unveil.runtime.review_pace import ReviewPace
from unveil.transport.gauges import Gauge, GaugeReading
from unveil.transport.status import AttributeUnitStatus, RecordUnitStatus, ReviewUnitStatus

_OF_PROJECT: Final = ("project",)


def _gauge(name: str, text: str, *labels: str) -> Gauge:
    return Gauge(f"unveil_{name}", text, labels)


def _project_gauge(name: str, text: str, *labels: str) -> Gauge:
    return _gauge(name, text, *_OF_PROJECT, *labels)


PROJECTS: Final = _gauge("projects", "projects of the unit")
TAKEN: Final = _gauge("messages_taken", "messages written to a log since the process started")
REPEATED: Final = _gauge("messages_repeated", "messages that were there already, since the process started")
REFUSED: Final = _gauge("messages_refused", "messages that broke the protocol, since the process started")
STARTED: Final = _gauge("started_timestamp_seconds", "when the process started, in seconds since 1970")
DATABASE: Final = _gauge("database_bytes", "size of the database", "kind")
DISK_FREE: Final = _gauge("disk_free_bytes", "free space on the disk of the data folder")
DISK: Final = _gauge("disk_size_bytes", "size of the disk of the data folder")
CERTIFICATE: Final = _gauge(
    "certificate_expiry_timestamp_seconds",
    "when a certificate of the unit ends, in seconds since 1970; `project` is empty for the one it listens with",
    "project",
)
OPEN: Final = _project_gauge("project_open", "1 while the project is open, 0 once it is closed here")
SET_BACK: Final = _project_gauge(
    "log_set_back", "1 if the unit decides nothing, since another party knows of entries that its log lacks"
)
STAGE: Final = _project_gauge("stage", "1 for the stage that the project is at here, 0 for every other", "stage")
WAITS_FOR: Final = _project_gauge("waits_for", "1 for whoever is waited for, 0 for everybody else", "party")
COUNTED: Final = _project_gauge("stage_done", "of what is waited for, how many are there", "counted")
COUNTED_OF: Final = _project_gauge("stage_wanted", "of what is waited for, how many there will be", "counted")
MOVED: Final = _project_gauge(
    "last_entry_timestamp_seconds", "when the last message came or the last decision was taken, in seconds since 1970"
)
RECEIVED: Final = _project_gauge("messages_received", "messages in the project's log")
DELIVERED: Final = _project_gauge("messages_delivered", "messages sent that have arrived")
WAITING: Final = _project_gauge("messages_waiting", "messages that wait to be delivered or fetched", "recipient")
COMPARING: Final = _project_gauge("comparing_ratio", "record unit: share of a comparison under way that is done")
KEPT_PAIRS: Final = _project_gauge("kept_pairs", "record unit: candidate pairs that are held")
ASKED_PAIRS: Final = _project_gauge("requested_pairs", "record unit: pairs wished for, decoys among them")
LINKS: Final = _project_gauge("links", "record unit: pairs that are linked now")
THRESHOLD: Final = _project_gauge("threshold_ratio", "record unit: similarity from which on pairs are mostly linked")
QUALITY: Final = _project_gauge(
    "estimated_quality_ratio",
    "record unit: estimated precision, recall and f1 of the links, each with the `bound`s low, point and high",
    "figure", "bound",
)  # fmt: skip
TRUSTED: Final = _project_gauge("estimated_quality_trusted", "record unit: 1 if that estimate can be trusted")
ANSWERED: Final = _project_gauge(
    "answered_ratio",
    "record and attribute unit: share of the pairs asked about that an owner answered and did not refuse",
    "owner",
)  # fmt: skip
COMPARED_PAIRS: Final = _project_gauge("compared_pairs", "attribute unit: pairs compared")
LABELS: Final = _project_gauge("labels", "attribute unit: labels that reviewers gave")
OPEN_TASKS: Final = _project_gauge("open_tasks", "review unit: tasks not decided yet")
PENDING_TASKS: Final = _project_gauge("pending_tasks", "review unit: of them, those that wait for a reviewer")
REVIEWERS: Final = _project_gauge("reviewers_at_work", "review unit: reviewers who did something in the last half hour")
DECIDED: Final = _project_gauge("reviews_last_hour", "review unit: pairs that reviewers decided in the last hour")
EACH: Final = _project_gauge("review_seconds", "review unit: seconds that a decision takes, the median of the latest")

#: Every gauge there is, in the order in which the documentation lists them.
GAUGES: Final = tuple(each for each in list(globals().values()) if isinstance(each, Gauge))


def readings(facts: UnitFacts, traffic: Mapping[Gauge, float]) -> Iterator[GaugeReading]:
    """What the gauges of a unit show; `traffic` counts what the process took and refused."""
    yield from (GaugeReading(gauge, value) for gauge, value in traffic.items())
    yield GaugeReading(STARTED, facts.started)
    store = facts.store
    if store.database is not None:
        yield GaugeReading(DATABASE, store.database, (store.kind,))
    if store.disk is not None and store.disk_free is not None:
        yield from (GaugeReading(DISK_FREE, store.disk_free), GaugeReading(DISK, store.disk))
    for certificate in facts.certificates:
        if certificate.ends is not None:
            yield GaugeReading(CERTIFICATE, certificate.ends, (certificate.project,))
    for project in facts.projects:
        yield from _of_project(project)


def _of_project(project: ProjectFacts) -> Iterator[GaugeReading]:
    name, stage = project.name, project.stage
    yield GaugeReading(OPEN, not project.status.closed, (name,))
    yield GaugeReading(SET_BACK, bool(project.status.set_back), (name,))
    if stage is not None:
        yield from (GaugeReading(STAGE, stage.kind is each, (name, each.value)) for each in StageKind)
        yield from (GaugeReading(WAITS_FOR, stage.awaited is each, (name, each.value)) for each in Awaited)
        if stage.counted is not None and stage.done is not None and stage.of is not None:
            yield GaugeReading(COUNTED, stage.done, (name, stage.counted.value))
            yield GaugeReading(COUNTED_OF, stage.of, (name, stage.counted.value))
    if project.moved is not None:
        yield GaugeReading(MOVED, project.moved, (name,))
    yield GaugeReading(RECEIVED, project.messages.received, (name,))
    yield GaugeReading(DELIVERED, project.messages.delivered, (name,))
    yield from (GaugeReading(WAITING, count, (name, to)) for to, count in project.messages.waiting.items())
    yield from _told(project)
    if isinstance(project.figures, LinkageFigures | SharesAnswered):
        for owner, share in project.figures.answered.items():
            yield GaugeReading(ANSWERED, share, (name, owner))
    if isinstance(project.figures, LinkageFigures):
        yield from _of_linkage(name, project.figures)
    if isinstance(project.figures, ReviewPace):
        pace = project.figures
        yield GaugeReading(REVIEWERS, pace.at_work, (name,))
        yield GaugeReading(DECIDED, pace.last_hour, (name,))
        if pace.seconds_each is not None:
            yield GaugeReading(EACH, pace.seconds_each, (name,))


def _told(project: ProjectFacts) -> Iterator[GaugeReading]:
    """What the unit's status tells too."""
    status, told = project.status, dict[Gauge, float | None]()
    match status:
        case RecordUnitStatus():
            told = {COMPARING: status.comparing, KEPT_PAIRS: status.kept_pairs, ASKED_PAIRS: status.requested_pairs}
        case AttributeUnitStatus():
            told = {COMPARED_PAIRS: status.pairs, LABELS: status.labels}
        case ReviewUnitStatus():
            told = {OPEN_TASKS: status.open_tasks, PENDING_TASKS: status.pending}
    yield from (GaugeReading(gauge, value, (project.name,)) for gauge, value in told.items() if value is not None)


def _of_linkage(name: str, figures: LinkageFigures) -> Iterator[GaugeReading]:
    yield GaugeReading(LINKS, figures.links, (name,))
    yield GaugeReading(THRESHOLD, figures.threshold, (name,))
    estimate = figures.estimate
    if estimate is None:
        return
    yield GaugeReading(TRUSTED, estimate.trusted, (name,))
    for figure in ("precision", "recall", "f1"):
        for bound, value in zip(("low", "point", "high"), getattr(estimate, figure), strict=True):
            yield GaugeReading(QUALITY, value, (name, figure, bound))
