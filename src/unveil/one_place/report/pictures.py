"""Single pictures of a report, each as a file of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from unveil.charts.intervals import interval_chart
from unveil.charts.standalone import standalone
from unveil.charts.svg import WIDE, Drawing
from unveil.errors import SettingError
from unveil.one_place.figures import OnePlaceFigures
from unveil.one_place.report.advice import draw_worth, weighed, worth_sentence
from unveil.one_place.report.course import course_caption, draw_course, estimated_caption, spans
from unveil.one_place.report.similarity import draw_similarity, similarity_caption
from unveil.settings.mistakes import near


@dataclass(frozen=True, slots=True)
class _Kind:
    title: str
    there: Callable[[OnePlaceFigures], bool]
    draw: Callable[[OnePlaceFigures, int], Drawing]
    caption: Callable[[OnePlaceFigures], str]


def _intervals(run: OnePlaceFigures, width: int) -> Drawing:
    assert run.estimate is not None
    return interval_chart(width, spans(run.estimate))


_KINDS: Final = {
    "estimate": _Kind("Precision, recall and F1 as estimated", lambda run: run.estimate is not None, _intervals,
                      estimated_caption),
    "course": _Kind("Estimated quality after every batch", lambda run: len(run.course) > 1, draw_course,
                    course_caption),
    "similarity": _Kind("Pairs by the similarity of their record filters", lambda run: run.decided is not None,
                        draw_similarity, similarity_caption),
    "worth": _Kind("What each attribute is worth among the opened pairs", lambda run: bool(weighed(run)), draw_worth,
                   worth_sentence),
}  # fmt: skip
#: The pictures that there are.
NAMES: Final = tuple(_KINDS)


def picture(run: OnePlaceFigures, name: str, *, width: int = WIDE) -> str:
    """The picture of that name as an SVG document."""
    kind = _KINDS.get(name)
    if kind is None:
        raise SettingError(f"no picture {name}{near(name, NAMES)}", hint=f"there are {', '.join(NAMES)}")
    if not kind.there(run):
        raise SettingError(f"there is nothing to draw for {name}", hint="no pair was opened, or no model decided")
    return standalone(kind.draw(run, width), kind.title, kind.caption(run))
