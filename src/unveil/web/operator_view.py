"""
What the operator's page says, line by line, in the words of a language.

A line that needs somebody's care is marked by a word and a sign, and stands at the top once more: colour alone says
nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from unveil.linkage.estimate import Estimate
from unveil.protocol.stages import Awaited, StageStatus
from unveil.runtime.answer_shares import SharesAnswered
from unveil.runtime.linkage_figures import LinkageFigures
from unveil.runtime.operations import ProjectFacts, UnitFacts
from unveil.runtime.review_pace import ReviewPace
from unveil.transport.status import AttributeUnitStatus, RecordUnitStatus, ReviewUnitStatus
from unveil.web.languages import Language
from unveil.web.written_figures import WrittenFigures

_SOON: Final = 14 * 86_400  # seconds before its end from which on a certificate needs care
_LITTLE: Final = 0.1  # of a disk


@dataclass(frozen=True, slots=True)
class PageLine:
    """One figure: what it is, what it says, how much of it is there, and whether it needs care."""

    key: str
    name: str
    text: str
    share: float | None = None
    care: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """Lines that belong together."""

    key: str
    title: str
    lines: tuple[PageLine, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by its address, which changes with what it shows, and the same in words and as a table."""

    address: str
    dark: str
    alt: str
    rows: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class ProjectView:
    """One project."""

    key: str
    name: str
    stage: str
    cards: tuple[Card, ...]
    picture: Picture | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitView:
    """The whole page. `care` is what needs somebody's care, in sentences."""

    title: str
    at: str
    care: tuple[str, ...]
    cards: tuple[Card, ...]
    projects: tuple[ProjectView, ...]


def unit_name(role: str, language: Language) -> str:
    """The unit as a heading has it."""
    name = language.say(f"units.{role}")
    return name[:1].upper() + name[1:]


def unit_view(facts: UnitFacts, language: Language, root: str) -> UnitView:
    """The page of a unit."""
    words = _Words(language)
    cards = (words.process(facts), words.store(facts), words.certificates(facts))
    projects = tuple(words.project(each, facts.now, root) for each in facts.projects)
    places = [(words.say("unit"), cards), *((each.name, each.cards) for each in projects)]
    lines = [(f"{place}, {card.title}", line) for place, some in places for card in some for line in card.lines]
    return UnitView(
        title=unit_name(facts.role, language),
        at=words.figures.moment(facts.now),
        care=tuple(f"{where}: {line.name} – {line.text}" for where, line in lines if line.care),
        cards=cards,
        projects=projects,
    )


class _Words:
    def __init__(self, language: Language) -> None:
        self.figures = WrittenFigures(language)
        self._language = language

    def say(self, key: str, *values: str) -> str:
        """A sentence of the operator's page, its blanks filled."""
        return self._language.say(f"operate.{key}").format(*values)

    def line(self, key: str, text: str, *, share: float | None = None, care: bool = False) -> PageLine:
        """A line under its name."""
        return PageLine(key, self.say(f"lines.{key}"), text, share, care)

    def counted(self, key: str, number: float | None) -> Iterator[PageLine]:
        """A count, where there is one."""
        if number is not None:
            yield self.line(key, self.figures.count(number))

    # The unit

    def process(self, facts: UnitFacts) -> Card:
        """The process itself."""
        return Card("process", self.say("cards.process"), (
            self.line("version", f"Unveil {facts.version}"),
            self.line("started", self.figures.moment(facts.started)),
            self.line("running", self.figures.span(facts.now - facts.started)),
        ))  # fmt: skip

    def store(self, facts: UnitFacts) -> Card:
        """Database and disk."""
        store, unknown = facts.store, self.say("unknown")
        size = unknown if store.database is None else self.figures.size(store.database)
        lines = [self.line("database", f"{self.say(f'kinds.{store.kind}')}, {size}")]
        if store.disk and store.disk_free is not None:
            free = store.disk_free / store.disk
            text = self.say("free_of", self.figures.size(store.disk_free), self.figures.size(store.disk))
            lines.append(self.line("disk", text, share=1 - free, care=free < _LITTLE))
        return Card("store", self.say("cards.store"), tuple(lines))

    def certificates(self, facts: UnitFacts) -> Card:
        """When each ends."""
        lines = []
        for number, each in enumerate(facts.certificates):
            name = self.say("calls_in", each.project) if each.project else self.say("listens")
            if each.ends is None:
                text = self.say("unreadable")
            else:
                left = each.ends - facts.now
                what = self.say("ends_in", self.figures.span(left)) if left > 0 else self.say("ended")
                text = f"{self.figures.moment(each.ends)}, {what}"
            care = each.ends is None or each.ends - facts.now < _SOON
            lines.append(PageLine(f"certificate-{number}", name, text, None, care))
        return Card("certificates", self.say("cards.certificates"), tuple(lines))

    # Its projects

    def project(self, project: ProjectFacts, now: float, root: str) -> ProjectView:
        """One project at this unit."""
        cards = [self.progress(project, now), self.messages(project)]
        figures, picture = project.figures, None
        if isinstance(figures, LinkageFigures):
            cards.append(self.linkage(figures))
            picture = self.picture(figures, f"{root}/projects/{project.name}/similarity.svg")
        warnings = getattr(project.status, "warnings", None) or ()
        stage = self.say("closed") if project.stage is None else self.stage(project.stage)
        sentences = tuple(each.sentence for each in warnings)
        return ProjectView(project.name, project.name, stage, tuple(cards), picture, sentences)

    def stage(self, stage: StageStatus) -> str:
        """Where a project stands and whom it waits for."""
        say = self._language.say
        at = say(f"stage.{stage.kind.value}")
        if stage.awaited is Awaited.NOBODY:
            return at
        return f"{at}; {say('stage.waits').format(say(f'awaited.{stage.awaited.value}'))}"

    def progress(self, project: ProjectFacts, now: float) -> Card:
        """How far it is."""
        stage, status, lines = project.stage, project.status, []
        if stage is not None and stage.counted is not None and stage.done is not None and stage.of:
            what = self._language.say(f"counted.{stage.counted.value}")
            numbers = (self.figures.count(stage.done), self.figures.count(stage.of))
            text = self._language.say("stage.of").format(*numbers, what)
            lines.append(self.line("so_far", text, share=min(1.0, stage.done / stage.of)))
        if isinstance(status, RecordUnitStatus) and status.comparing is not None:
            lines.append(self.line("comparing", self.figures.percent(status.comparing), share=status.comparing))
            if status.comparing_left is not None:
                lines.append(self.line("comparing_left", self.figures.span(status.comparing_left)))
        lines += self._told(project)
        if isinstance(project.figures, LinkageFigures | SharesAnswered):
            lines += self.answered(project.figures.answered)
        if isinstance(project.figures, ReviewPace):
            lines += self.pace(project.figures)
        if project.moved is not None:
            lines.append(self.line("moved", self.say("ago", self.figures.span(now - project.moved))))
        if status.set_back:
            lines.append(self.line("set_back", self.say("set_back"), care=True))
        return Card("progress", self.say("cards.progress"), tuple(lines))

    def _told(self, project: ProjectFacts) -> Iterator[PageLine]:
        match project.status:
            case RecordUnitStatus() as status:
                yield from self.counted("kept_pairs", status.kept_pairs)
                yield from self.counted("requested_pairs", status.requested_pairs)
            case AttributeUnitStatus() as status:
                yield from self.counted("compared_pairs", status.pairs)
                yield from self.counted("labels", status.labels)
            case ReviewUnitStatus() as status:
                yield from self.counted("open_tasks", status.open_tasks)
                yield from self.counted("pending_tasks", status.pending)

    def answered(self, shares: Mapping[str, float]) -> Iterator[PageLine]:
        """Which share of the pairs that it was asked about each owner answered."""
        for number, (owner, share) in enumerate(shares.items()):
            name = self.say("answered", owner)
            yield PageLine(f"answered-{number}", name, self.figures.percent(share), share)

    def pace(self, pace: ReviewPace) -> Iterator[PageLine]:
        """How fast reviewers get on."""
        yield from self.counted("at_work", pace.at_work)
        decided = (self.figures.count(pace.last_hour), self.figures.count(pace.last_day))
        yield self.line("decided", self.say("hour_day", *decided))
        if pace.seconds_each is not None:
            yield self.line("each", self.figures.span(pace.seconds_each))

    def messages(self, project: ProjectFacts) -> Card:
        """What came, what went, what waits, and what was refused."""
        count, messages = self.figures.count, project.messages
        lines = [self.line("received", count(messages.received)), self.line("delivered", count(messages.delivered))]
        for number, (recipient, waiting) in enumerate(messages.waiting.items()):
            lines.append(PageLine(f"waiting-{number}", self.say("waiting", recipient), count(waiting)))
        if not messages.waiting:
            lines.append(self.line("none_waits", count(0)))
        for number, (sender, why) in enumerate((project.status.refused or {}).items()):
            lines.append(PageLine(f"refused-{number}", self.say("refused", sender), why, None, care=True))
        return Card("messages", self.say("cards.messages"), tuple(lines))

    # The linkage

    def linkage(self, figures: LinkageFigures) -> Card:
        """Threshold, links, and how good they seem."""
        lines = [
            self.line("threshold", self.figures.decimal(figures.threshold, 2)),
            self.line("links", self.figures.count(figures.links)),
        ]
        if figures.estimate is not None:
            lines += self.quality(figures.estimate)
        return Card("linkage", self.say("cards.linkage"), tuple(lines))

    def quality(self, estimate: Estimate) -> Iterator[PageLine]:
        """Each figure with its interval."""
        for key in ("precision", "recall", "f1"):
            low, point, high = (self.figures.decimal(value, 3) for value in getattr(estimate, key))
            yield self.line(key, self.say("between", point, low, high))
        yield self.line("trusted", self.say("yes" if estimate.trusted else "no_trust"))

    def picture(self, figures: LinkageFigures, address: str) -> Picture:
        """How similar pairs are."""
        rows = tuple(
            (
                f"{self.figures.decimal(each.low, 3)} – {self.figures.decimal(each.high, 3)}",
                self.figures.count(each.linked),
                self.figures.count(each.others),
            )
            for each in figures.bins
        )
        made_of = hashlib.sha256(repr((figures.bins, figures.threshold, self._language.code)).encode()).hexdigest()[:16]
        others = sum(each.others for each in figures.bins)
        alt = self.say(
            "picture", self.figures.count(figures.links), self.figures.count(others),
            self.figures.decimal(figures.bins[0].low, 2), self.figures.decimal(figures.threshold, 2),
        )  # fmt: skip
        light = f"{address}?shows={made_of}"
        return Picture(light, f"{light}&colours=dark", alt, rows)
