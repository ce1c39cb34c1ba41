"""
Pictures of the documentation, drawn from a run of the demo: `python -m tools.pictures docs/images`, or `make pictures`.

`report.png` is the top of the demo's report, `review.png` a pair of that run as its reviewer sees it in the terminal;
those of the pages are made by `page_pictures`, `operator_pictures` and
`console_pictures`.
`made-from.json` beside them says what they were drawn from, as hashes; a test compares these with what this build
draws. Times, memory and paths stand further down in the report and are in neither. Chromium draws the pictures; the
hashes need none.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import io
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from tools import console_pictures, operator_pictures
from tools.browser import NoBrowser, browsing
from tools.page_pictures import drawn_from, take_pages
from unveil.cli import demo
from unveil.cli.review.drawing import BatchProgress, ReviewScreen
from unveil.cli.story import DemoStory
from unveil.errors import UnveilError
from unveil.lab.evaluation.report import render
from unveil.lab.simulation.reviewer import SimulatedReviewer
from unveil.lab.simulation.run import simulate, starting_threshold
from unveil.lab.simulation.world import SimulationSettings
from unveil.one_place.seen_risk import seen_risk
from unveil.one_place.stopwatch import Stopwatch
from unveil.privacy.population import ReferencePopulation
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.runtime.operations import UnitFacts
from unveil.schema import Schema, built_in

if TYPE_CHECKING:
    from unveil.lab.simulation.study import Study
    from unveil.lab.simulation.world import World

RECORD: Final = "made-from.json"
#: Width and height in pixels. The height is that of the part that is shown, with the fonts that Debian brings along.
REPORT_SIZE: Final = (1000, 1190)
REVIEW_SIZE: Final = (960, 416)
_COLUMNS, _LINES = 101, 24
_AFTER_THE_TOP: Final = '<section aria-labelledby="quality-heading">'
_TERMINAL: Final = """\
<!doctype html>
<meta charset="utf-8">
<style>
body {{ margin: 0; padding: 18px 22px; background: #171b23; color: #e8eaed; }}
pre {{ margin: 0; font: 15px/20.2px "DejaVu Sans Mono", monospace; }}
</style>
<pre>{code}</pre>
"""


class PictureError(UnveilError):
    """A picture cannot be drawn."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs that were put to a reviewer together, what was decided about them, and the labels given before."""

    pairs: Sequence[ReviewablePair]
    verdicts: Sequence[Verdict]
    spent: int
    budget: int


class _Watched:
    """A reviewer whose batches are kept."""

    def __init__(self, reviewer: SimulatedReviewer, world: World) -> None:
        self._reviewer, self._world = reviewer, world
        self.batches: list[Batch] = []
        self.units: tuple[UnitFacts, ...] = ()  # as operators see them before the last batch

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        if spent + len(pairs) >= budget:
            self.units = operator_pictures.seen_by_operators(self._world)
        verdicts = self._reviewer.review(pairs, spent=spent, budget=budget)
        self.batches.append(Batch(pairs, verdicts, spent, budget))
        return verdicts


@dataclass(frozen=True, slots=True)
class Drawn:
    """What the pictures show, before it is a picture: two HTML pages. `story` is what the demo prints meanwhile."""

    report: str
    review: str
    story: str
    pages: dict[str, str] = field(default_factory=dict)  # hashes of what the reviewers' pages are drawn from
    units: tuple[UnitFacts, ...] = ()  # what the operators' pages show
    console: dict[str, str] = field(default_factory=dict)  # hashes of what the owner's console is drawn from

    def hashes(self) -> dict[str, str]:
        """What each picture is drawn from, by the name of its file."""
        return (
            {f"{name}.png": hashed(getattr(self, name).encode()) for name in ("report", "review")}
            | self.pages
            | (operator_pictures.drawn_from(self.units))
            | self.console
        )


def hashed(data: bytes) -> str:
    """A hash of what a picture is drawn from, or of the picture itself."""
    return hashlib.sha256(data).hexdigest()


def draw() -> Drawn:
    """Run the demo as `unveil demo` without options does, and return what the pictures show."""
    options: dict[str, Any] = {name: each.default for name, each in inspect.signature(demo.demo).parameters.items()}
    schema = demo.with_budget(built_in(), options["budget"])
    watch, printed = Stopwatch.start(time.perf_counter), Console(file=io.StringIO(), width=200, force_terminal=False)
    story = DemoStory(printed)
    with tempfile.TemporaryDirectory() as folder:
        study = demo.people_study(Path(folder), schema, options["records"], options["seed"], watch)
    t0 = starting_threshold(study, offset=options["offset"], threshold=None)
    settings = SimulationSettings(seed=options["seed"], error=options["error"], t0=t0)
    watched: list[_Watched] = []

    def reviewer(world: World) -> _Watched:
        chance = SeededChance(settings.seed, "reviewer")
        watched.append(_Watched(SimulatedReviewer(world.truth_of, error=settings.error, chance=chance), world))
        return watched[0]

    story.owners(study)
    story.record_unit(study)
    run, world = simulate(
        study, schema, settings, watch, preset=demo.PRESET, reviewer=reviewer, on_point=story.point, full=True
    )
    story.end(run, world)
    assert isinstance(printed.file, io.StringIO)
    screen = _screen(schema, study, watched[0].batches)
    return Drawn(
        top_of(render(run)),
        screen,
        printed.file.getvalue(),
        drawn_from(),
        watched[0].units,
        console_pictures.drawn_from(),
    )


def top_of(report: str) -> str:
    """The report up to its second section: the figures, and how the layers worked together."""
    top, found, _ = report.partition(_AFTER_THE_TOP)
    if not found:
        raise PictureError("the report has no section on quality", hint="say in tools/pictures.py where its top ends")
    return f"{top}</main></body></html>\n"


def _screen(schema: Schema, study: Study, batches: Sequence[Batch]) -> str:
    """The pair whose attributes differ in the most ways, as the terminal shows it, with the last such one chosen."""
    console = Console(
        record=True, file=io.StringIO(), width=_COLUMNS, height=_LINES, force_terminal=True, color_system="truecolor"
    )
    risk = seen_risk(schema, ReferencePopulation(schema.names, study.a, study.b))
    screen = ReviewScreen(console, schema, risk=risk)
    batch, at = max(
        ((batch, at) for batch in batches for at in range(len(batch.pairs))),
        key=lambda each: len({cell.icon for cell in screen.cells(each[0].pairs[each[1]], {})}),
    )
    pair = batch.pairs[at]
    row = max(row for row, cell in enumerate(screen.cells(pair, {})) if cell.can_open)
    given = [verdict.match for verdict in batch.verdicts[:at]]
    progress = BatchProgress(len(batch.pairs), given, batch.spent, batch.budget)
    console.print(screen.pair(progress, pair, {}, row=row, confidence="6"))
    return console.export_html(code_format=_TERMINAL, inline_styles=True)


def take(page: str, picture: Path, size: tuple[int, int]) -> None:
    """Draw a page as a picture of that size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8")
        try:
            with browsing(Path(folder) / "profile", width=size[0], height=size[1]) as context:
                shown = context.new_page()
                shown.goto(path.as_uri())
                shown.screenshot(path=picture)
        except NoBrowser as error:
            raise PictureError("there is no Chromium", hint=str(error)) from None


def main(arguments: list[str] | None = None) -> int:
    """Draw the pictures into a folder, and write down what they were drawn from."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args(arguments).folder
    try:
        drawn = draw()
        take(drawn.report, folder / "report.png", REPORT_SIZE)
        take(drawn.review, folder / "review.png", REVIEW_SIZE)
        take_pages(folder)
        operator_pictures.take_pages(drawn.units, folder)
        console_pictures.take_pages(folder)
    except UnveilError as error:
        sys.stderr.write(f"error: {error.message}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
        return 1
    record = {
        name: {"drawn_from": made_from, "picture": hashed((folder / name).read_bytes())}
        for name, made_from in drawn.hashes().items()
    }
    (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"{folder}: {', '.join(record)} drawn\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
