"""
Pictures of the owner's console: an owner of made-up people, whose units have asked for nine days.

What a picture is drawn from is known without a browser: the files of the pages, and what the console finds to show.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tools.console_trial import ConsoleTrial, console_trial
from tools.page_pictures import CONSOLE_TABLES, window
from unveil import web
from unveil.errors import UnveilError
from unveil.protocol.roles import Role
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.roles.owner.policy import Caps, Policy
from unveil.runtime.owner.console import ConsoleStatus, OwnerConsole
from unveil.runtime.owner.live_view import LiveView
from unveil.runtime.owner.observer import Unwatched
from unveil.runtime.owner.status import UnitAnswer
from unveil.transport.status import AttributeUnitStatus, RecordUnitStatus, ReviewUnitStatus
from unveil.web.console.serve import console_on_loopback
from unveil.web.languages import languages
from unveil.web.loopback import SILENT

if TYPE_CHECKING:
    from playwright.sync_api import Page

_DAY: Final = 86_400.0
_NOW: Final = 1_800_000_000.0
_DAYS: Final = 9
_RULES: Final = 'approval = "all"\n\n[attributes]\nnever_shown = ["zip"]\n\n[caps.day]\nvalues = 40\n'
_REVIEWING: Final = StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, 37, 100)
_STAGES: Final = {
    Role.RECORD_UNIT: RecordUnitStatus(stage=StageStatus(StageKind.LEARNING, Awaited.ATTRIBUTE_UNIT)),
    Role.ATTRIBUTE_UNIT: AttributeUnitStatus(stage=StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS)),
    Role.REVIEW_UNIT: ReviewUnitStatus(stage=_REVIEWING),
}
_UNITS: Final = {role.value: UnitAnswer(status) for role, status in _STAGES.items()}
#: Rules that are tried: no first names, and two values of each record at most.
_TRIED: Final = Policy(approval="all", never=frozenset({"first_name", "zip"}), caps=Caps(record_reviews=1))


def _wishes(page: Page, root: str) -> None:
    page.goto(f"{root}/wishes")
    page.get_by_role("link", name="first name, year of birth, postcode").click()
    page.wait_for_selector(".entries")


def _ledger(page: Page, root: str) -> None:
    page.goto(f"{root}/ledger")
    page.wait_for_load_state("networkidle")


def _rules(page: Page, root: str) -> None:
    page.goto(f"{root}/rules")
    page.check("input[name='attributes.never_shown'][value=first_name]")
    page.get_by_label("Reviews of one record").fill("1")
    page.get_by_role("button", name="Try on past wishes").click()
    page.wait_for_selector("#result")


def _overview(page: Page, root: str) -> None:
    page.goto(root)
    page.wait_for_selector("text=37 of 100")


#: Name, size, scheme of colours, and what is done before it is taken.
PICTURES: Final[tuple[tuple[str, tuple[int, int], str, Callable[[Page, str], None]], ...]] = (
    ("console-page.png", (1200, 720), "light", _overview),
    ("console-wishes.png", (1200, 830), "light", _wishes),
    ("console-rules.png", (1200, 830), "light", _rules),
    ("console-ledger.png", (1200, 1120), "light", _ledger),
    ("console-phone.png", (390, 844), "dark", _wishes),
)


@contextmanager
def pictured() -> Iterator[OwnerConsole]:
    """The console of an owner that was asked for nine days, always the same."""
    with tempfile.TemporaryDirectory() as folder, console_trial(Path(folder) / "trial", rules="") as trial:
        _live(trial)
        with LiveView.open(trial.path, demonstration=True, observer=Unwatched()) as view:
            console = OwnerConsole(view, clock=lambda: _NOW, ask=lambda: _UNITS)
            try:
                yield console
            finally:
                console.stop()


def _live(trial: ConsoleTrial) -> None:
    now, left = [_NOW - _DAYS * _DAY], list[bytes]()
    trial.host._clock = lambda: now[0]  # noqa: SLF001 - time passes as the picture needs it
    for day in range(_DAYS):
        pairs = trial.ask(range(day * 5, day * 5 + 5 + day % 3))
        trial.work()
        trial.show(pairs[:2], "first_name", "zip")
        trial.show(pairs[2 : 3 + day % 2], "last_name", "year_of_birth", "city")
        trial.show(pairs[4:], "city")
        trial.work()
        left += pairs[3 + day % 2 : 4]
        now[0] += _DAY
    (trial.path / "policy.toml").write_text(_RULES, encoding="utf-8")
    trial.show(left, "first_name", "year_of_birth", "zip")
    trial.ask(range(48, 60))
    trial.work()


def drawn_from() -> dict[str, str]:
    """What each picture is drawn from, as a hash, by the name of its file."""
    folder, files = Path(web.__file__).parent, hashlib.sha256()
    own = (path for part in ("static", "templates") for path in folder.glob(f"console/{part}/*"))
    for path in sorted([*own, folder / "static" / "style.css"]):
        files.update(path.name.encode() + path.read_bytes())
    sentences = languages()["en"].sentences
    said = json.dumps({name: sentences[name] for name in sorted(CONSOLE_TABLES | {"attributes"})})
    with pictured() as console:
        groups = [group for group, _ in console.groups()]
        entries = [page.entries for group in groups if (page := console.group(group.key, 1))]
        shown = _plain((_told(console), groups, entries, console.ledger(), console.try_rules(_TRIED)))
    text = f"{files.hexdigest()}|{said}|{json.dumps(shown, sort_keys=True)}"
    return {name: hashlib.sha256(f"{text}|{size}|{scheme}".encode()).hexdigest() for name, size, scheme, _ in PICTURES}


def _told(console: OwnerConsole) -> ConsoleStatus:
    """Where things stand once the units have answered, which a thread of the console's own waits for."""
    for _ in range(1_000):
        status = console.status()
        if status.units:
            return status
        time.sleep(0.01)
    raise UnveilError("the console heard nothing of its units", hint="see OwnerConsole.status")


def take_pages(folder: Path) -> None:
    """Draw them all into a folder."""
    with pictured() as console:
        for name, size, scheme, before in PICTURES:
            with console_on_loopback(console, log=SILENT) as served, window(size, scheme) as page:
                page.goto(served.link)
                page.wait_for_selector("button:focus")
                page.keyboard.press("Enter")
                page.wait_for_selector("[data-live=stage]")
                before(page, served.link.split("/join#")[0])
                page.evaluate("document.fonts.ready")
                page.screenshot(path=folder / name)


def _plain(value: Any) -> Any:
    """What a value shows, as JSON can hold it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.hex() if isinstance(value, bytes) else value
