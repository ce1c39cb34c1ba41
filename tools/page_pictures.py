"""
Pictures of the reviewers' pages: a review unit in this process, on loopback, with made-up pairs and a real browser.

What a picture is drawn from is known without a browser: the files of the pages, and the view that the unit gives them.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tools.browser import browsing
from unveil import web
from unveil.linkage.shown import STATES
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Step, receive
from unveil.protocol.messages import ID, AttributeValues, ReviewTask
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT, owner
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.roles.review_unit.practice import made_up
from unveil.runtime.review_steps import ReviewSteps
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset
from unveil.web.languages import languages
from unveil.web.loopback import on_loopback

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Tables of sentences that the console alone uses.
CONSOLE_TABLES: Final = frozenset({
    "console", "figures", "units", "stage", "awaited", "counted", "fate", "refused", "picture", "cap", "rules", "rule",
})  # fmt: skip
_OWNERS: Final = (owner("north"), owner("south"))
_PAIRS: Final = (2, 14, 0, 6, 7, 8, 9, 10)  # by number; the third of them has much to see
_NOW: Final = 1_000_000.0
_DESK, _PHONE = (1200, 830), (390, 844)


@dataclass(frozen=True, slots=True)
class PagePicture:
    """One picture: its file, the size of the window, the scheme of colours, and what is done before it is taken."""

    name: str
    size: tuple[int, int]
    scheme: str
    practice: bool
    before: Callable[[Page], None]
    lets_in: bool = True


class _InMemory:
    def __init__(self, machine: ReviewUnit) -> None:
        self._machine = machine

    def deciding(self, decision: Callable[[ReviewUnit], Step | None]) -> bool:
        step = decision(self._machine)
        if step is not None:
            self._machine.apply(step.decision)
        return step is not None

    def look(self, at: Callable[[ReviewUnit], Any]) -> Any:
        return at(self._machine)


def steps(*, practice: bool) -> ReviewSteps:
    """A review unit with made-up pairs, always the same."""
    schema = with_preset(built_in(), "unveil", budget=40)
    machine = ReviewUnit(schema, _OWNERS, chance=SeededChance(7, "review unit"))
    for number in _PAIRS:
        for envelope in _messages(schema, number):
            receive(machine, envelope)
    chance = SeededChance(7, "pictures")
    return ReviewSteps(_InMemory(machine), schema, clock=lambda: _NOW, gold=0.0, practice=practice, chance=chance)


def _messages(schema: Schema, number: int) -> Iterator[Envelope]:
    pair, task_id = made_up(schema, number), (number + 1).to_bytes(ID, "big")
    states = bytes(STATES.index(pair.states[name]) for name in schema.names)
    classes = bytes(pair.frequency.get(name, 0) for name in schema.names)
    yield Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, ReviewTask(len(schema.names), task_id, states, classes))
    for side, party in enumerate(_OWNERS):
        values = {name: both[side] for name, both in pair.values.items()}
        yield Envelope(party, REVIEW_UNIT, AttributeValues(task_id, (values,)))


def _decide(page: Page) -> None:
    """Two labels, and one step of the third pair."""
    for key in ("5", "m", "n"):
        _press(page, key)
    opener = page.locator(".opener").first
    row = opener.locator("xpath=ancestor::li")
    row.focus()
    _press(page, "Enter")


def _practise(page: Page) -> None:
    page.keyboard.press("Enter")
    page.wait_for_selector("#page[data-stage='practice']")
    _press(page, "n")


def _press(page: Page, key: str) -> None:
    before = page.get_attribute("#page", "data-steps")
    page.keyboard.press(key)
    if not key.isdigit():
        page.wait_for_selector(f"#page[data-steps]:not([data-steps='{before}'])")


def _keys(page: Page) -> None:
    page.keyboard.press("?")
    page.wait_for_selector(".guide")


def _team(page: Page) -> None:
    _decide(page)
    _press(page, "h")
    page.get_by_role("link", name="Reviewers").click()
    page.wait_for_selector(".guide")


def _log_in(page: Page) -> None:
    page.goto(page.url.replace("/join", ""))
    page.wait_for_selector("input[name=name]:focus")


PICTURES: Final = (
    PagePicture("review-page.png", _DESK, "light", practice=False, before=_decide),
    PagePicture("review-phone.png", _PHONE, "dark", practice=False, before=_decide),
    PagePicture("practice-page.png", _DESK, "light", practice=True, before=_practise),
    PagePicture("keys-page.png", (1000, 1420), "light", practice=False, before=_keys),
    PagePicture("team-page.png", (1000, 420), "light", practice=False, before=_team),
    PagePicture("log-in-page.png", (1000, 560), "light", practice=False, before=_log_in, lets_in=False),
)


def drawn_from() -> dict[str, str]:
    """What each picture is drawn from, as a hash, by the name of its file."""
    files = files_hash(lambda name: not name.startswith("operat") and name not in CONSOLE_TABLES)
    found = {}
    for picture in PICTURES:
        made = steps(practice=picture.practice)
        view = made.begin_practice("ann") if picture.practice else made.view("ann")
        text = f"{files}|{picture.size}|{picture.scheme}|{json.dumps(view, sort_keys=True)}"
        found[picture.name] = hashlib.sha256(text.encode()).hexdigest()
    return found


def files_hash(wanted: Callable[[str], bool]) -> str:
    """A hash of those files of the pages and tables of sentences whose names are wanted."""
    folder, found = Path(web.__file__).parent, hashlib.sha256()
    for path in sorted([*folder.glob("static/*"), *folder.glob("templates/*")]):
        if wanted(path.name):
            found.update(path.name.encode() + path.read_bytes())
    said = {name: table for name, table in languages()["en"].sentences.items() if wanted(name)}
    found.update(json.dumps(said, sort_keys=True).encode())
    return found.hexdigest()


def take_pages(folder: Path) -> None:
    """Draw them all into a folder."""
    for picture in PICTURES:
        made = steps(practice=picture.practice)
        with (
            on_loopback(
                {"stroke": made},
                reviewer="ann",
                name="ann",
                role="lead" if "team" in picture.name else "reviewer",
                asks_password=not picture.lets_in,
            ) as pages,
            window(picture.size, picture.scheme) as page,
        ):
            page.goto(pages.link)
            if picture.lets_in:
                page.wait_for_selector("button:focus")
                page.keyboard.press("Enter")
                page.wait_for_selector("#page[data-stage]")
            picture.before(page)
            page.evaluate("document.fonts.ready")
            page.screenshot(path=folder / picture.name)


@contextmanager
def window(size: tuple[int, int], scheme: str) -> Iterator[Page]:
    """A fresh browser's page of that size, in light or dark colours."""
    width, height = size
    with (
        tempfile.TemporaryDirectory() as profile,
        browsing(Path(profile), width=width, height=height, color_scheme=scheme, locale="en-GB") as context,
    ):
        yield context.new_page()
