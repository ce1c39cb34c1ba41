"""The report as a document: closed, offline, escaped, and complete for small and odd runs."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_fixture import bare_run, full_run, one_layer_run

from unveil.charts.markup import VOID
from unveil.lab.evaluation.report import render
from unveil.lab.evaluation.result import AskedPair, Histogram, Point, RunResult, Shown
from unveil.linkage.estimate import Estimate
from unveil.models.advice import AttributeWorth
from unveil.one_place.figures import Disclosure, Flow
from unveil.protocol.data_warnings import DataWarning, WarningKind

HOSTILE = "</td></svg><script>alert('x')</script><img src=x onerror=\"y\">&\u202e\x00"
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "article", "div", "span",
    "p", "h1", "h2", "h3", "b", "small", "bdi", "dl", "dt", "dd", "figure", "figcaption", "details", "summary", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "svg", "desc", "text", "line", "rect", "path", "circle",
}  # fmt: skip


class Outline(HTMLParser):
    """Follows the tags of a document and keeps what the tests ask about."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.pictures: list[dict[str, str]] = []
        self.words: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        self.names.add(tag)
        self.attributes += found.items()
        self.ids += [found["id"]] if "id" in found else []
        if tag == "svg":
            self.pictures.append(found)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)


def hostile_run() -> RunResult:
    """A run in which every text is an attempt to break out of its place."""
    cells = tuple(Shown(HOSTILE, state, HOSTILE, HOSTILE, HOSTILE) for state in ("equal", "shown", HOSTILE))
    return replace(
        full_run(),
        dataset=HOSTILE,
        preset=HOSTILE,
        asked=(AskedPair(cells, label=True, truth=False),),
        review_states={HOSTILE: {"shown": 3, HOSTILE: 2}},
        disclosures=(Disclosure("review", HOSTILE, 3, 10),),
        flows=(Flow(HOSTILE, HOSTILE, HOSTILE, 1, 1),),
        timings={HOSTILE: 1.0},
        worth=(AttributeWorth(HOSTILE, 0.9, 0.1), AttributeWorth("b", 0.1, 0.9)),
        warnings=(DataWarning(WarningKind.KEY_HARDLY_AGREES, HOSTILE),),
        kept_out={HOSTILE: {HOSTILE: 1}},
    )


def odd_run() -> RunResult:
    """A run whose figures are not numbers and whose histogram is empty."""
    points = (Point(0, 0, 0.75, math.nan, 0.0, math.nan), Point(100, 0, 0.75, 0.5, math.inf, 0.6))
    return replace(
        full_run(),
        trajectory=points,
        record_level_f1=math.nan,
        attribute_level_f1=None,
        histogram=Histogram((0.5, 1.0), (0,), (0,)),
        kapr={"held": math.nan, "seen": 0.1},
        timings={"read": math.nan},
        uncertain_band=(0.0, 0.0),
        estimate=Estimate((math.nan, math.nan, math.nan), (0.0, 0.5, 1.0), (0.4, 0.4, 0.4), trusted=False),
        suitability=math.nan,
        worth=(AttributeWorth("a", math.nan, 0.1), AttributeWorth("b", 1.0, 0.0), AttributeWorth("c", 0.5, 0.5)),
        reviewer_error=math.nan,
    )


RUNS = {
    "full": full_run(),
    "one layer": one_layer_run(),
    "without a threshold": replace(full_run(), preset="unveil"),
    "bare": bare_run(),
    "hostile": hostile_run(),
    "odd": odd_run(),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_every_tag_is_closed_in_order_and_every_id_is_used_once(run: RunResult) -> None:
    """A browser would mend the page in its own way otherwise, and a screen reader follow the wrong label."""
    outline = Outline(render(run))
    assert [] == outline.open
    assert len(set(outline.ids)) == len(outline.ids)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_page_loads_nothing_and_runs_nothing(run: RunResult) -> None:
    """The report is opened next to confidential data: it must not be able to call anywhere."""
    outline = Outline(render(run, title=HOSTILE, generated=HOSTILE))
    assert set() == outline.names - ALLOWED
    keys = {key for key, _ in outline.attributes}
    assert set() == {key for key in keys if key.startswith("on") or key in {"src", "href", "action", "style"}}
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:") in outline.attributes


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_page_names_no_address(run: RunResult) -> None:
    """Neither a link nor a namespace: a reader may search the file and find no address in it."""
    assert [] == re.findall(r"https?://|//[a-z]|url\(|@import", render(run))


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_no_figure_is_written_as_not_a_number(run: RunResult) -> None:
    """An undefined precision is a dash in words and no point in a picture."""
    outline = Outline(render(run))
    shown = [*outline.words, *(value for key, value in outline.attributes if key != "content")]
    assert [] == [text for text in shown if re.search(r"\bnan\b|\binf\b|^None$", text)]


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_every_picture_has_a_name_and_a_description(run: RunResult) -> None:
    """What a chart shows must reach people who do not see it."""
    document = render(run)
    outline = Outline(document)
    assert outline.pictures
    for picture in outline.pictures:
        assert "img" == picture["role"]
        for key, tag in (("aria-labelledby", "title"), ("aria-describedby", "desc")):
            assert re.search(rf'<{tag} id="{picture[key]}">[^<]+</{tag}>', document)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_pictures_are_drawn_for_wide_and_for_narrow_screens(run: RunResult) -> None:
    """A wide picture scaled down to a telephone would be unreadable."""
    kinds = [picture["class"] for picture in Outline(render(run)).pictures]
    assert ["wide", "narrow"] * (len(kinds) // 2) == kinds


def test_hostile_values_are_shown_as_text() -> None:
    """Reviewed values come from people's records and may hold anything."""
    words = Outline(render(hostile_run())).words
    assert HOSTILE.replace("\u202e", "\ufffd").replace("\x00", "\ufffd") in words


def test_same_run_gives_the_same_bytes_in_another_process() -> None:
    """Reports are compared and archived by their hash; the order of a set must not show in them."""
    program = "import report_fixture as f, unveil.lab.evaluation.report as r; print(ascii(r.render(f.full_run())))"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert ascii(render(full_run())) == done.stdout.strip()


def test_headline_says_what_was_found_and_what_was_shown() -> None:
    """The five figures that a data protection officer asks for first."""
    words = Outline(render(full_run())).words
    figures = ["9,040", ".824 → .921", "4,500", "300", "891"]
    assert [word for word in words if word in figures][:5] == figures
    assert "of 10,000 in both files; 587 links are wrong" in words
    assert "0.13 % of 700,000 values" in words


def test_every_section_is_there_when_there_is_data() -> None:
    """Pictures come before tables, and the folded numbers come last."""
    words = re.findall(r"<(?:h2|h3|caption|summary)[^>]*>([^<]+)<", render(full_run()))
    headings = [
        "How the layers worked together",
        "Quality of the links after every batch",
        "How good it is, as the units can tell",
        "Where a record filter can decide, and where it cannot",
        "What the data says about the encoding",
        "How much each layer was given",
        "What the reviewer was asked",
        "Pairs as the reviewer saw them",
        "How identifying the shown values are",
        "What it took",
        "Messages between the parties",
        "All numbers",
    ]
    assert [word for word in words if word in headings] == headings


def test_sections_without_data_are_left_out() -> None:
    """An empty chart says less than no chart."""
    words = Outline(render(bare_run())).words
    assert "What the reviewer was asked" not in words
    assert "How much each layer was given" not in words
    assert "How good it is, as the units can tell" not in words
    assert "What the data says about the encoding" not in words
    assert "What it took" in words


def test_what_looks_wrong_with_the_data_stands_on_the_page() -> None:
    """A sentence for each: what was kept out, and what the units warn of; nothing where all is well."""
    warning = DataWarning(WarningKind.KEY_HARDLY_AGREES, "last_name+year_of_birth", {"pairs": 812, "agreeing": 3})
    kept_out = {"owner a": {"all zeros": 1}, "owner b": {}}
    words = Outline(render(replace(full_run(), warnings=(warning,), kept_out=kept_out))).words
    at = words.index("What looks wrong with the data")
    sentence = f"B{warning.sentence[1:]}."
    assert ["Kept out of the comparison: 1 record of owner a, all zeros.", sentence] == words[at + 1 : at + 3]
    assert "What looks wrong with the data" not in Outline(render(full_run())).words


def test_at_most_twelve_pairs_are_drawn() -> None:
    """The report shows examples, not the reviewer's whole work."""
    words = Outline(render(replace(full_run(), asked=full_run().asked * 5))).words
    assert 12 == len([word for word in words if re.fullmatch(r"Pair \d+", word)])
    assert "In 15 of these 20 pairs the answer agrees with the truth. The first 12 are drawn here." in words


def test_trajectory_table_holds_every_point() -> None:
    """The numbers behind the picture can be copied out."""
    document = render(full_run())
    for point in full_run().trajectory:
        assert f'<td class="number">{point.f1:.3f}</td>'.replace(">0.", ">.") in document


def test_parts_of_the_advice_stand_alone() -> None:
    """A sentence without its picture is still worth reading, and a picture without the sentence too."""
    alone = replace(full_run(), estimate=None, worth=())
    document = render(alone)
    assert "figure-estimated" not in document
    assert "figure-advice" not in document
    assert "reviewers seem to err in 18 %" in document
    assert "higher record-level similarity" in document
    assert 'id="figure-advice"' in render(replace(full_run(), suitability=None))


def test_all_four_risks_are_drawn() -> None:
    """A figure that has no name in the picture would be missed by nobody."""
    words = Outline(render(full_run())).words
    names = [
        "characters displayed",
        "values held by the review unit",
        "had all unequal values been asked for",
        "had everything been asked for",
    ]
    assert names * 2 == [word for word in words if word in names]  # wide and narrow


def test_numbers_hold_the_estimate_and_every_weight() -> None:
    """What is drawn can be copied out."""
    document = render(full_run())
    assert '<td>F1 estimated: low, point, high</td><td class="number">.884, .914, .933</td>' in document
    assert (
        '<td>last name</td><td class="number">.400</td><td class="number">.500</td><td class="number">−0.6 bits</td>'
        in document
    )
