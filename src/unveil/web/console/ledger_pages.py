"""What left: totals, caps, risk and the latest disclosures, with pictures that are files of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from unveil.errors import UnveilError
from unveil.privacy.risk_course import CLASSES
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT
from unveil.runtime.owner.console_ledger import ConsoleLedger
from unveil.web.console.frame import ConsoleFrame
from unveil.web.console.pictures import BarRow, Scheme, by_span, columns, course, rows
from unveil.web.console.texts import Texts

_DAY: Final = 86_400
_DIGITS: Final = 4  # of a risk
Drawing = Callable[[ConsoleLedger, Texts, Scheme], str]


class LedgerPages:
    """The ledger."""

    def __init__(self, frame: ConsoleFrame) -> None:
        self._frame = frame

    async def page(self, request: Request) -> Response:
        """Totals and pictures, each with its numbers as text."""
        texts = self._frame.texts(request)

        def found() -> dict[str, Any]:
            ledger = self._frame.console.ledger()
            return {"ledger": ledger, "figures": {} if ledger is None else _figures(ledger, texts)}

        return await self._frame.page(request, "ledger.html", found)

    async def picture(self, request: Request, name: str) -> Response:
        """One picture, for light or for dark pages."""
        kind, _, scheme = name.removesuffix(".svg").rpartition("-")
        if not self._frame.is_let_in(request):
            return Response(status_code=401)
        if kind not in PICTURES or scheme not in {"light", "dark"}:
            return Response(status_code=404)
        try:
            ledger = await self._frame.ask(self._frame.console.ledger)
        except UnveilError:
            return Response(status_code=503)
        if ledger is None:
            return Response(status_code=404)
        drawn = PICTURES[kind](ledger, self._frame.texts(request), "dark" if scheme == "dark" else "light")
        return Response(drawn, media_type="image/svg+xml")


def _by_day(days: dict[int, float], texts: Texts, *, sums: bool) -> list[tuple[str, float]]:
    return [(_day(day, texts), value) for day, value in by_span(days, sums=sums)]


def _day(day: int, texts: Texts) -> str:
    at = datetime.fromtimestamp(day * _DAY, UTC)
    return texts.say("figures.day", f"{at.day:02}", f"{at.month:02}")


def _pairs(ledger: ConsoleLedger, texts: Texts, scheme: Scheme) -> str:
    return columns(_by_day(ledger.pairs_by_day, texts, sums=True), scheme, lambda value: texts.number(round(value)))


def _values(ledger: ConsoleLedger, texts: Texts, scheme: Scheme) -> str:
    return columns(_by_day(ledger.values_by_day, texts, sums=True), scheme, lambda value: texts.number(round(value)))


def _risk(ledger: ConsoleLedger, texts: Texts, scheme: Scheme) -> str:
    found = _by_day(ledger.kapr_by_day, texts, sums=False)
    digits = 2 if max(ledger.kapr_by_day.values(), default=0.0) >= 0.1 else _DIGITS  # noqa: PLR2004 - of the scale
    return course(found, scheme, lambda value: texts.decimal(value, digits))


def _attributes(ledger: ConsoleLedger, texts: Texts, scheme: Scheme) -> str:
    found = [
        BarRow(texts.attribute(name), each.values, texts.say("console.times_of", each.values, each.records))
        for name, each in ledger.units[str(REVIEW_UNIT)].attributes.items()
    ]
    return rows(found, scheme)


def _units(ledger: ConsoleLedger, texts: Texts, scheme: Scheme) -> str:
    found = [
        BarRow(
            texts.unit(unit),
            each.disclosures,
            texts.say("console.answered_refused", each.disclosures, each.refused),
            second=each.refused,
        )
        for unit, each in ledger.units.items()
    ]
    return rows(found, scheme)


def _sharing(ledger: ConsoleLedger, texts: Texts, scheme: Scheme) -> str:
    found = [(texts_of_k(least), float(count)) for least, count in ledger.by_k.items()]
    return columns(found, scheme, lambda value: texts.number(round(value)), each_said=True)


def texts_of_k(least: int) -> str:
    """A class of k in figures, such as 5–9."""
    at = CLASSES.index(least)
    if at + 1 == len(CLASSES):
        return f"≥ {least}"
    most = CLASSES[at + 1] - 1
    return str(least) if most == least else f"{least}–{most}"


#: By name, as they stand on the page.
PICTURES: Final[Mapping[str, Drawing]] = {
    "units": _units,
    "pairs": _pairs,
    "values": _values,
    "attributes": _attributes,
    "risk": _risk,
    "sharing": _sharing,
}


def _figures(ledger: ConsoleLedger, texts: Texts) -> dict[str, list[tuple[str, str]]]:
    """The numbers of each picture, for whoever cannot see it or wants them exactly."""

    def counts(days: dict[int, float]) -> list[tuple[str, str]]:
        return [(_date(day), texts.number(round(value))) for day, value in days.items()]

    review, pairs = ledger.units[str(REVIEW_UNIT)], ledger.units[str(ATTRIBUTE_UNIT)]
    return {
        "units": [
            (texts.unit(unit), texts.say("console.answered_refused", each.disclosures, each.refused))
            for unit, each in ((str(ATTRIBUTE_UNIT), pairs), (str(REVIEW_UNIT), review))
        ],
        "pairs": counts(ledger.pairs_by_day),
        "values": counts(ledger.values_by_day),
        "attributes": [
            (texts.attribute(name), texts.say("console.times_of", each.values, each.records))
            for name, each in review.attributes.items()
        ],
        "risk": [(_date(day), texts.decimal(value, _DIGITS)) for day, value in ledger.kapr_by_day.items()],
        "sharing": [(texts_of_k(least), texts.number(count)) for least, count in ledger.by_k.items()],
    }


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * _DAY, UTC).date().isoformat()
