"""The privacy report in a real browser: it asks nothing of any network, breaks nothing, shows nothing of a record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext
from typer.testing import CliRunner
from watched_page import Watched

from unveil.cli import commands
from unveil.cli.app import app
from unveil.lab.evidence.trade import ChosenDefault, Traded
from unveil.schema import built_in

#: Planted names and places: words that stand in no report for another reason.
PLANTED = ("Xylanderova", "Quetzalbert", "Wyvernstadt")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of a data set with planted people, with figures of an evidence run beside it."""
    folder = tmp_path_factory.mktemp("report")
    header = ("record_id", *built_in("person").names)
    rows = [
        (f"planted-{n}", f"{PLANTED[1]}{n}", "Q", f"{PLANTED[0]}{n % 7}", str(1950 + n % 40), PLANTED[2], "01234", "NC")
        for n in range(60)
    ]  # fmt: skip
    for name in ("a", "b"):
        text = "\n".join(",".join(row) for row in (header, *rows)) + "\n"
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    truth = "record_id_a,record_id_b\n" + "".join(f"{row[0]},{row[0]}\n" for row in rows)
    (folder / "truth.csv").write_text(truth, encoding="utf-8")
    trade = [
        Traded(number, name, name, found, found, f1, 0.9, 20.0, 1.5)
        for number, (name, found, f1) in enumerate((("plain", 1.0, 0.96), ("own", 0.001, 0.958)), start=1)
    ]
    evidence = {
        "schema_fingerprint": built_in("person").fingerprint(),
        "own": [],
        "encodings": [{key: getattr(row, key) for key in Traded.__slots__} for row in trade],
        "default": {"coding": "own", "reason": "it withstands every attack"},
    }
    assert ChosenDefault(**evidence["default"])  # type: ignore[arg-type]
    (folder / "evidence.json").write_text(json.dumps(evidence), encoding="utf-8")
    commands.register()
    out = folder / "report.html"
    done = CliRunner().invoke(
        app,
        ["privacy", "report", "--data", str(folder), "--evidence", str(folder), "--people", "100", "--out", str(out)],
    )
    assert 0 == done.exit_code, done.output
    return out


def test_the_report_opens_and_asks_nothing_of_any_network(browser: BrowserContext, report: Path) -> None:
    """One file, no script, no request but for itself, no policy broken, readable by everybody."""
    watched = Watched(browser, keeps=False)
    asked: list[str] = []
    watched.page.on("request", lambda request: asked.append(request.url))
    watched.page.goto(report.as_uri())
    assert [report.as_uri()] == asked
    text = watched.page.inner_text("body")
    assert "For the ethics board" in text
    for heading in ("Who takes part", "What was disclosed", "Attacks", "What protection costs", "What is left"):
        assert heading in text
    assert 6 == watched.page.locator("#figure-attacks svg, #figure-trade-nobody svg, #figure-trade-known svg").count()
    assert [] == watched.found_by_axe()
    assert [] == watched.complaints()
    watched.page.close()


def test_the_page_for_the_board_stands_alone_on_paper(browser: BrowserContext, report: Path) -> None:
    """Whoever prints it can hand round the first sheet; it is no longer than that."""
    page = browser.new_page()
    page.goto(report.as_uri())
    page.emulate_media(media="print")
    assert "page" == page.evaluate("getComputedStyle(document.querySelector('.front')).breakAfter")
    page.set_viewport_size({"width": 720, "height": 1000})
    assert page.evaluate("document.querySelector('.front').getBoundingClientRect().height") < 1000
    page.close()


def test_it_holds_no_value_and_no_id_of_a_record(report: Path) -> None:
    """Neither the page nor the figures beside it."""
    for path in (report, report.with_suffix(".json")):
        text = path.read_text(encoding="utf-8").casefold()
        assert not [planted for planted in (*PLANTED, "planted-") if planted.casefold() in text]


def test_every_attack_names_the_command_that_makes_it(report: Path) -> None:
    """In the page and in the figures."""
    figures = json.loads(report.with_suffix(".json").read_text(encoding="utf-8"))
    page = report.read_text(encoding="utf-8")
    played = {each["attack"] for each in figures["attacks"]}
    assert {"graph-matching", "known-people", "keys-and-filters", "keys-and-known-people", "salt-groups"} <= played
    for each in figures["attacks"]:
        assert each["command"].startswith(f"unveil privacy attack {each['attack']} ")
        assert each["command"] in page
    assert figures["command"] in page.replace("&#x27;", "'")
