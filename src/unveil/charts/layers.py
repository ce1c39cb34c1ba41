"""The drawing of the layers: owners beside three units, disclosure going down, labels coming back up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.charts.markup import Markup, join
from unveil.charts.scales import text_width, wrap
from unveil.charts.svg import LINE_HEIGHT, Drawing, arrow, box, cramped, paragraph, path, rule, text

_BODY, _HEAD, _PAD = 12.5, 16.0, 14.0
_LINE = _BODY * LINE_HEIGHT


@dataclass(frozen=True, slots=True)
class DrawnParty:
    """A party of the protocol and what it saw and never saw."""

    name: str
    saw: str
    never: str
    reached: str = ""  # how many records or pairs came this far, in words
    part: float | None = None  # the same as a share of all records
    received: str = ""  # what the owners sent here
    style: int = 0
    used: bool = True
    may: str = ""  # what this party decides


@dataclass(frozen=True, slots=True)
class Passage:
    """What went from one unit down to the next, and what came back."""

    down: str
    up: str


def layer_diagram(
    width: int, *, owners: DrawnParty, units: Sequence[DrawnParty], passages: Sequence[Passage], returned: str
) -> Drawing:
    """The drawing; passages[i] lies between units[i] and units[i + 1], and `returned` goes back to the owners."""
    if cramped(width):
        return _tall(width, owners, units, passages, returned)
    return _broad(width, owners, units, passages, returned)


def _broad(
    width: int, owners: DrawnParty, units: Sequence[DrawnParty], passages: Sequence[Passage], returned: str
) -> Drawing:
    """Owners in a column on the left, an arrow from them to every unit."""
    column, left, gap = 176.0, 392.0, 62.0
    body: list[Markup | None] = []
    y = 1.0
    for index, unit in enumerate(units):
        card, height = _card(left, y, width - left - 1, unit, columns=2)
        body += [card, _delivery(column, left, y + 34, unit.received, unit)]
        if index == 0:
            body.append(_return(column, left, y + height - 22, returned))
        y += height
        if index < len(passages):
            used = units[index + 1].used
            body.append(_passage(left, y, width - left, gap, passages[index], used=used, columns=2))
            y += gap
    body.append(box(1, 1, column, y - 1, "card owners", round_by=6))
    body.append(_owner_text(_PAD, 1, column - 1.2 * _PAD, owners)[0])
    return Drawing(width, y + 2, join(body))


def _tall(
    width: int, owners: DrawnParty, units: Sequence[DrawnParty], passages: Sequence[Passage], returned: str
) -> Drawing:
    """Owners on top, a rail from them along the left edge, an arrow from the rail to every unit."""
    left, gap = 36.0, 76.0
    words, y = _owner_text(_PAD, 1, width - 2 * _PAD, owners)
    body: list[Markup] = [box(1, 1, width - 2, y + 8, "card owners", round_by=6), words]
    top = y + 9
    y = top + 24
    last = y
    for index, unit in enumerate(units):
        card, height = _card(left, y, width - left - 1, unit, columns=1, received=True)
        body.append(card)
        if unit.used:
            last = y + 22
            body.append(arrow(12, last, left - 2, last, f"flow s{unit.style}"))
        y += height
        if index < len(passages):
            body.append(_passage(left, y, width - left, gap, passages[index], used=units[index + 1].used, columns=1))
            y += gap
    body.append(rule(12, top, 12, last, "rail"))
    note, y = paragraph(left, y + 6, f"Back to the owners: {returned}", width=width - left, size=12, kind="small muted")
    return Drawing(width, y + 4, join([*body, note]))


def _owner_text(x: float, y: float, width: float, owners: DrawnParty) -> tuple[Markup, float]:
    head, y = paragraph(x, y + 10, owners.name, width=width, size=_HEAD, kind="party")
    reached, y = paragraph(x, y + 2, owners.reached, width=width, size=_BODY, kind="small strong")
    lists, y = _saw_and_never(x, y + 8, width, owners, columns=1)
    if owners.may:
        decides, y = _list(x, y + 6, width, "→ decided", owners.may)
        lists = join([lists, decides])
    return join([head, reached, lists]), y


def _card(
    x: float, y: float, width: float, unit: DrawnParty, *, columns: int, received: bool = False
) -> tuple[Markup, float]:
    """A unit's box and its height: its name, how much reached it, what it saw and never saw."""
    inner = width - 2 * _PAD
    head = text(x + _PAD, y + 25, unit.name, f"party s{unit.style}")
    at = y + 33.0
    reached: Markup | None = None
    if text_width(unit.name, _HEAD, bold=True) + text_width(unit.reached, _BODY, bold=True) + 12 <= inner:
        reached = text(x + width - _PAD, y + 25, unit.reached, "small strong", anchor="end")
    else:
        reached, at = paragraph(x + _PAD, at, unit.reached, width=inner, size=_BODY, kind="small strong")
    body: list[Markup | None] = [head, reached]
    if unit.part is not None:
        body.append(box(x + _PAD, at + 2, inner, 6, "track", round_by=3))
        body.append(box(x + _PAD, at + 2, max(inner * min(unit.part, 1.0), 3.0), 6, f"bar s{unit.style}", round_by=3))
        at += 8
    if received and unit.used:
        line, at = paragraph(
            x + _PAD, at + 6, f"From the owners: {unit.received}", width=inner, size=_BODY, kind="small"
        )
        body.append(line)
    seen, at = _saw_and_never(x + _PAD, at + 8, inner, unit, columns=columns)
    height = at - y + 12
    frame = box(x, y, width, height, f"card s{unit.style}" if unit.used else "card unused", round_by=6)
    return join([frame, *body, seen]), height


def _saw_and_never(x: float, y: float, width: float, party: DrawnParty, *, columns: int) -> tuple[Markup, float]:
    """Both lists, side by side or one under the other, and the y below the longer one."""
    if not party.saw and not party.never:
        return Markup(), y
    each = width if columns == 1 else (width - 24) / 2
    first, below = _list(x, y, each, "✓ saw", party.saw)
    place = (x, below + 6) if columns == 1 else (x + each + 24, y)
    second, end = _list(*place, each, "✗ never saw", party.never)
    return join([first, second]), max(below, end)


def _list(x: float, y: float, width: float, head: str, content: str) -> tuple[Markup, float]:
    body, end = paragraph(x, y + _LINE, content, width=width, size=_BODY, kind="small")
    return join([text(x, y + _BODY, head, "small strong muted"), body]), end


def _delivery(column: float, left: float, y: float, received: str, unit: DrawnParty) -> Markup | None:
    """The arrow from the owners to a unit, what it carried written over it and under it."""
    if not unit.used:
        return None
    first, *rest = wrap(received, left - column - 24, 12.5, bold=True) or [""]
    return join(
        [
            arrow(column + 3, y, left - 3, y, f"flow s{unit.style}"),
            text(column + 14, y - 8, first, "small strong"),
            *(text(column + 14, y + 17 + 16 * index, line, "small") for index, line in enumerate(rest)),
        ]
    )


def _return(column: float, left: float, y: float, returned: str) -> Markup:
    return join(
        [
            arrow(left - 3, y, column + 3, y, "flow label-flow"),
            text(column + 14, y + 16, returned, "small muted"),
        ]
    )


def _passage(x: float, y: float, width: float, gap: float, passage: Passage, *, used: bool, columns: int) -> Markup:
    """Down and up arrows between two units with their words."""
    if not used:
        return path([(x + 24, y + 4), (x + 24, y + gap - 4)], "flow unused")
    half = width / 2
    room = half - 40
    body = []
    for index, (words, kind) in enumerate(((passage.down, "flow"), (passage.up, "flow label-flow"))):
        at = x + 22 + half * index
        ends = (y + 5, y + gap - 5) if index == 0 else (y + gap - 5, y + 5)
        lines = wrap(words, room, 12 if columns == 1 else _BODY)
        top = y + gap / 2 - len(lines) * 8 + 11.5
        body.append(arrow(at, ends[0], at, ends[1], kind))
        body += [text(at + 12, top + 16 * number, line, "small") for number, line in enumerate(lines)]
    return join(body)
