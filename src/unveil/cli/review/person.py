"""The person who reviews pairs of one process at a page or at the terminal: a demonstration's, or one place's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unveil.cli.door import notes

if TYPE_CHECKING:
    from unveil.one_place.parties import Reviewer
    from unveil.records import Records
    from unveil.roles.review_unit.machine import ReviewUnit
    from unveil.schema import Schema

#: Where a person reviews.
Place = Literal["page", "terminal"]


def run_name(text: str) -> str:
    """A name that tells runs apart: the same for the same text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def person_at(
    place: Place,
    at_the_end: ExitStack,
    schema: Schema,
    records: tuple[Records, Records],
    *,
    session: Path,
    run: str,
    project: str,
) -> Callable[[ReviewUnit], Reviewer]:
    """The reviewer of a unit. What was decided is saved after every key, so the same command resumes."""
    from unveil.one_place.seen_risk import seen_risk
    from unveil.privacy.population import ReferencePopulation

    risk = seen_risk(schema, ReferencePopulation(schema.names, *records))
    if place == "terminal":
        from unveil.cli.review.reviewer import TerminalReviewer

        reviewer = TerminalReviewer(schema=schema, session=session, console=notes, risk=risk, run=run)
        return lambda _: reviewer

    def at_page(unit: ReviewUnit) -> Reviewer:
        from unveil.cli.review.page import show
        from unveil.one_place.page_reviewer import NAME, PageReviewer
        from unveil.web.loopback import on_loopback

        person = PageReviewer(unit, schema, session=session, run=run, risk=risk)
        if person.note:
            notes.print(person.note, markup=False)
        pages = at_the_end.enter_context(on_loopback({project: person.steps}, reviewer=NAME, name="you"))
        at_the_end.callback(person.end)
        show(pages, session.parent, notes.print, opening=notes.is_terminal)
        return person

    return at_page
