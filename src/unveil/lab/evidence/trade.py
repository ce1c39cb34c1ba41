"""What protection costs: F1 against what attacks find, for every encoding, and which of them follows as the default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

from unveil.charts.scatter import ScatterPoint, scatter_chart
from unveil.charts.standalone import standalone
from unveil.charts.svg import WIDE, Drawing
from unveil.lab.evidence.catalogue import attack_named
from unveil.lab.evidence.codings import OWN, title_of
from unveil.lab.evidence.run import Evidence

#: F1 that may be given up against plain filters.
GIVEN_UP: Final = 0.005
_LEAST: Final = 1e-4
_KNOWN: Final = "known-people"


@dataclass(frozen=True, slots=True)
class Traded:
    """
    One encoding: what attackers find without and with known people, and F1.

    `encoding` is in microseconds for a record, `comparing` in times of plain filters.
    """

    number: int
    coding: str
    title: str
    nobody_known: float
    with_known: float
    f1: float
    record_level: float
    encoding: float
    comparing: float


@dataclass(frozen=True, slots=True)
class ChosenDefault:
    """Which encoding follows from the figures, None if none does, and why."""

    coding: str | None
    reason: str


def traded(evidence: Evidence) -> list[Traded]:
    """Every encoding of the run whose figures are all there."""
    found = []
    for number, price in enumerate(evidence.prices, start=1):
        tried = [one for one in evidence.findings("trade") if one.coding == price.coding]
        without = [one.first for one in tried if one.attack != _KNOWN]
        known = [one.first for one in tried if one.attack == _KNOWN]
        if without and known:
            title = title_of(evidence.schema, price.coding)
            worst = (max(without), max(known))
            took = price.speed.encoding, price.speed.comparing
            found.append(Traded(number, price.coding, title, *worst, price.f1, price.record_level, *took))
    return found


def choice(rows: list[Traded]) -> ChosenDefault:
    """The encoding with the highest F1 of those that withstand every attack; within noise, the schema's own."""
    most, most_known = attack_named("graph-matching").at_most, attack_named(_KNOWN).at_most
    safe = [row for row in rows if row.nobody_known <= most and row.with_known <= most_known]
    if not safe:
        return ChosenDefault(None, "no encoding that was tried withstands every attack")
    plain = next((row.f1 for row in rows if row.coding == "plain"), None)
    best = max(safe, key=lambda row: (round(row.f1, 3), row.coding == OWN))
    own = next((row for row in safe if row.coding == OWN), None)
    chosen = own if own is not None and best.f1 - own.f1 <= GIVEN_UP else best
    kept = "" if plain is None else f", {chosen.f1 - plain:+.3f} against plain filters"
    others = f"of {len(rows)} encodings {len(safe)} withstand every attack"
    return ChosenDefault(
        chosen.coding,
        f"{others} (at most {most:.0%} found at first guess, {most_known:.0%} with known people); {chosen.title} has "
        f"F1 {chosen.f1:.3f}{kept}",
    )


def draw(rows: list[Traded], chosen: ChosenDefault, *, known: bool) -> Callable[[int], Drawing]:
    """The picture for a width: F1 against what attackers find who know nobody, or some people."""
    plain = next((row.f1 for row in rows if row.coding == "plain"), max(row.f1 for row in rows))
    points = [
        ScatterPoint(
            row.number, row.with_known if known else row.nobody_known, row.f1, chosen=row.coding == chosen.coding
        )
        for row in rows
    ]
    attack = attack_named(_KNOWN if known else "graph-matching")
    who = "by whoever knows some people beforehand" if known else "by whoever knows nobody beforehand"
    return lambda width: scatter_chart(
        width,
        points,
        x_label=f"people found at first guess {who}",
        y_label="F1",
        least=_LEAST,
        wanted=(attack.at_most, plain - GIVEN_UP),
    )


def pictures(rows: list[Traded], chosen: ChosenDefault) -> dict[str, str]:
    """Both pictures as SVG documents, by the name of their file."""
    legend = "; ".join(f"{row.number} {row.title}" for row in rows)
    return {
        f"trade-{name}.svg": standalone(draw(rows, chosen, known=known)(WIDE), f"F1 against attacks, {who}", legend)
        for name, who, known in (("nobody-known", "nobody known", False), ("known-people", "people known", True))
    }


def as_json(rows: list[Traded], chosen: ChosenDefault) -> dict[str, Any]:
    """The table behind the pictures as plain data."""
    return {"encodings": [asdict(row) for row in rows], "default": asdict(chosen)}
