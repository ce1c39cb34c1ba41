"""
Pictures of the operators' pages: units as the demo's linkage leaves them before its last batch of reviews.

Figures about the linkage are those of the run. A simulation has no process, disk, certificates and messages of its own,
so for these the pictures show figures that a project of this size might have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.types import ASGIApp

from tools.page_pictures import files_hash, window
from unveil.protocol.roles import Role
from unveil.runtime.linkage_figures import linkage_figures
from unveil.runtime.operations import (
    CertificateEnd,
    MessageFacts,
    ProjectFacts,
    RoleFigures,
    StoreFacts,
    Surroundings,
    UnitFacts,
)
from unveil.runtime.review_pace import ReviewPace
from unveil.storage.tokens import Token
from unveil.transport.port import OPERATOR
from unveil.transport.status import OPEN, RecordUnitStatus, ReviewUnitStatus, UnitStatus
from unveil.web.frame import PageSettings
from unveil.web.languages import languages
from unveil.web.loopback import SILENT, serving
from unveil.web.operator_site import ROOT, pages
from unveil.web.operator_view import unit_view

if TYPE_CHECKING:
    from unveil.lab.simulation.world import World

_NOW: Final = 1_800_000_000.0
_DAY: Final = 86_400.0
_GB: Final = 1 << 30
_PROJECT: Final = "stroke"
_PICTURES: Final = (
    ("operator-page.png", (1200, 1420), "light", 0),
    ("operator-phone.png", (390, 1400), "dark", 1),
)


def seen_by_operators(world: World) -> tuple[UnitFacts, ...]:
    """The record unit and the review unit of a simulation, at this moment."""
    record, review = world.record_unit, world.review_unit
    status = RecordUnitStatus(
        state=OPEN, stage=record.stage, kept_pairs=record.kept_pairs, requested_pairs=record.requested_pairs,
        warnings=record.data_warnings(),
    )  # fmt: skip
    messages = MessageFacts(12, 31, {"owner a": 1})
    linkage = _unit(Role.RECORD_UNIT, 21.0, _project(status, messages, 95.0, linkage_figures(record)))
    reviews = ReviewUnitStatus(
        state=OPEN, stage=review.stage, open_tasks=review.open_tasks, pending=len(review.pending())
    )
    pace = ReviewPace(at_work=3, last_hour=41, last_day=87, seconds_each=19.0)
    people = _unit(Role.REVIEW_UNIT, 9.0, _project(reviews, MessageFacts(214, 12, {}), 12.0, pace))
    return linkage, replace(people, certificates=(CertificateEnd("", _NOW + 9 * _DAY),))


def _project(status: UnitStatus, messages: MessageFacts, ago: float, figures: RoleFigures | None) -> ProjectFacts:
    return ProjectFacts(_PROJECT, status, messages, _NOW - ago, figures)


def _unit(role: Role, megabytes: float, project: ProjectFacts) -> UnitFacts:
    return UnitFacts(
        role=role.value,
        version="0.1.0",
        started=_NOW - 3.4 * _DAY,
        now=_NOW,
        store=StoreFacts("sqlite", int(megabytes * (1 << 20)), 181 * _GB, 256 * _GB),
        certificates=(CertificateEnd("", _NOW + 211 * _DAY),),
        projects=(project,),
    )


def drawn_from(units: Sequence[UnitFacts]) -> dict[str, str]:
    """What each picture is drawn from, as a hash, by the name of its file: what its page says, and its own files."""
    wanted = files_hash(lambda name: name.startswith("operat"))
    said = [unit_view(each, languages()["en"], ROOT) for each in units]
    return {
        name: hashlib.sha256(f"{wanted}|{size}|{scheme}|{said[which]!r}".encode()).hexdigest()
        for name, size, scheme, which in _PICTURES
        if units
    }


@dataclass
class _Pictured:
    """A unit of which only its page is known, and that takes any token."""

    shown: UnitFacts
    surroundings: Surroundings

    @property
    def role(self) -> Role:
        return Role(self.shown.role)

    @property
    def tokens(self) -> _Pictured:
        return self

    def check(self, secret: str, now: float) -> Token | None:
        return Token("picture", _PROJECT, OPERATOR, now, now + 1) if secret else None

    def in_force(self, number: str, now: float) -> Token | None:
        return self.check(number, now)

    def facts(self, projects: Collection[str]) -> UnitFacts:
        del projects
        return self.shown

    def figures(self, project: str) -> RoleFigures | None:
        return next(each.figures for each in self.shown.projects if each.name == project)


def _always(application: ASGIApp) -> Callable[[str], ASGIApp]:
    return lambda _host: application


def take_pages(units: Sequence[UnitFacts], folder: Path) -> None:
    """Draw them into a folder."""
    for name, size, scheme, which in _PICTURES:
        unit = _Pictured(units[which], Surroundings(clock=lambda: _NOW))
        settings = PageSettings(secure=False, cookie="unveil-operator")
        made = pages(unit, log=SILENT, settings=settings)
        with serving(_always(made)) as host, window(size, scheme) as page:
            page.goto(f"http://{host}{ROOT}")
            page.fill("input[name=token]", "any")
            page.keyboard.press("Enter")
            page.wait_for_selector("#pause:not([hidden])")
            page.evaluate("Promise.all([...document.images].map((each) => each.decode()))")
            page.evaluate("document.fonts.ready")
            page.screenshot(path=folder / name)
