"""Which pages a unit has: every one those of its operators, the review unit those of reviewers too."""

from __future__ import annotations

from fastapi import FastAPI

from unveil.runtime.reviews import ReviewUnitService
from unveil.runtime.units import UnitService
from unveil.transport.logs import Log
from unveil.web import operator_site, site
from unveil.web.frame import WithPages


def add_pages(app: FastAPI, unit: UnitService, log: Log) -> None:
    """Give a unit's application its pages."""
    app.add_middleware(WithPages, root=operator_site.ROOT, site=operator_site.pages(unit, log=log))
    if isinstance(unit, ReviewUnitService):
        reviews = site.pages(unit.steps, unit.people, log=log, passkeys=unit.passkeys)
        app.add_middleware(WithPages, root=site.ROOT, site=reviews)
