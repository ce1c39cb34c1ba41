"""The published charts of quality drawn again: F1 against the pairs reviewed, from the worst to the best start."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unveil.charts.document import section
from unveil.charts.figures import count, score
from unveil.charts.lines import Level, Line, Published, Second, line_chart
from unveil.charts.markup import Markup, el
from unveil.charts.svg import figure
from unveil.lab.paper import published
from unveil.lab.paper.averages import Average
from unveil.lab.paper.cells import FOLDED, PLAIN, GridCell
from unveil.lab.paper.deviations import signed
from unveil.lab.paper.findings import Findings

_STYLES = 3  # lines that a chart can tell apart
Name = Callable[[GridCell], str]


def by_error(found: Findings) -> Markup | None:
    """E1M with the smallest budget and a reviewer that errs more or less often."""
    cells = [cell for cell in found.cells if (cell.label, cell.budget) == ("E1M", 100)]
    return _section(found, "error", "E1M: how much the reviewer's mistakes cost", cells, lambda c: f"err {c.error:g}")


def by_budget(found: Findings) -> Markup | None:
    """E1M with a reviewer that errs in a fifth of the labels and more or less budget."""
    cells = [cell for cell in found.cells if (cell.label, cell.error) == ("E1M", 0.2)]
    return _section(found, "budget", "E1M: how far a budget goes", cells, lambda c: f"b {c.budget}")


def other_sets(found: Findings) -> Markup | None:
    """Every other set, one chart each."""
    labels = dict.fromkeys(cell.label for cell in found.cells if cell.encoding == PLAIN and cell.dataset != "E1M")
    charts = []
    for name in labels:
        cells = [cell for cell in found.cells if cell.label == name]
        charts += [el("h3", name), _chart(found, f"set-{name}", name, cells, lambda c: f"b {c.budget}")]
    return section("sets-heading", "The other sets", *charts) if charts else None


def folded(found: Findings) -> Markup | None:
    """The sets whose filters were folded to half their length."""
    cells = [cell for cell in found.cells if cell.encoding == FOLDED]
    return _section(found, "xor", "Folded filters (XOR)", cells, lambda c: c.dataset, levels=False)


def _section(
    found: Findings, key: str, heading: str, cells: Sequence[GridCell], name: Name, *, levels: bool = True
) -> Markup | None:
    if not cells:
        return None
    return section(f"{key}-heading", heading, _chart(found, key, heading, cells, name, levels=levels))


def _chart(
    found: Findings, key: str, title: str, cells: Sequence[GridCell], name: Name, *, levels: bool = True
) -> Markup:
    shown = list(cells)[-_STYLES:]
    lines = [_line(found.cells[cell], name(cell), style) for style, cell in enumerate(shown)]
    caption = _caption(found, shown, name)
    second = None
    if len({cell.budget for cell in shown}) == 1:
        steps = found.cells[shown[0]].steps
        second = Second(
            "labels given by the reviewer by then",
            tuple((step.reviewed_pairs, round(step.clerical_labels)) for step in steps),
        )
    return figure(
        key,
        f"{title}: F1 against the pairs compared by attribute",
        caption,
        lambda width: line_chart(
            width,
            lines=lines,
            levels=_levels(found, shown[0].label) if levels else (),
            published=_published(found, shown),
            x_label="pairs compared attribute by attribute",
            second=second,
        ),
        caption,
    )


def _line(average: Average, name: str, style: int) -> Line:
    steps = average.steps
    return Line(
        name,
        tuple(step.reviewed_pairs for step in steps),
        tuple(step.micro for step in steps),
        style,
        tuple(step.low for step in steps),
        tuple(step.high for step in steps),
    )


def _levels(found: Findings, label: str) -> list[Level]:
    baseline = found.baselines.get(label)
    if baseline is None:
        return []
    return [Level("record level", baseline["record_level"]), Level("attribute level", baseline["attribute_level"])]


def _published(found: Findings, cells: Sequence[GridCell]) -> list[Published]:
    """Diamonds at the published averages: one at the start, which the cells of a set share, and one for each end."""
    marks: list[Published] = []
    starts = set()
    for cell in cells:
        figures = published.QUALITY.get(cell.name, {})
        steps = found.cells[cell].steps
        start, end = figures.get("initial_mean"), figures.get("final_mean")
        if start and start.value not in starts:
            starts.add(start.value)
            marks.append(Published("published", steps[0].reviewed_pairs, start.value))
        if end:
            marks.append(Published("", steps[-1].reviewed_pairs, end.value))
    return marks


def _stated(cell: GridCell) -> str:
    rounds = published.ROUNDS_TO_RECORD_LEVEL.get(cell.name)
    return f" (published {rounds[0]} to {rounds[1]})" if rounds else ""


def _caption(found: Findings, cells: Sequence[GridCell], name: Name) -> str:
    sentences = []
    for cell in cells:
        first, last = found.cells[cell].first, found.cells[cell].last
        sentence = (
            f"{name(cell)}: {score(first.micro)} → {score(last.micro)} ({signed(last.micro - first.micro)}), "
            f"range {score(first.high - first.low)} → {score(last.high - last.low)}"
        )
        gain = published.QUALITY.get(cell.name, {}).get("gain")
        sentences.append(f"{sentence}; published gain {signed(gain.value)}." if gain else f"{sentence}.")
    rounds = [
        f"{name(cell)} reaches the record-level line after {count(number)} rounds{_stated(cell)}"
        for cell in cells
        if (number := found.rounds_to_record_level(cell)) is not None
    ]
    reached = f" On average {', '.join(rounds)}." if rounds else ""
    return (
        f"Average F1 over all runs; the shaded range goes from the worst to the best starting threshold. "
        f"{' '.join(sentences)}{reached} Diamonds mark published averages."
    )
