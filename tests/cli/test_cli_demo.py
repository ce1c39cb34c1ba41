"""`unveil demo`: the first thing that a newcomer runs."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path

import pexpect
import pytest
from command_line import Done, unveil

from patience import PATIENCE

SMALL = ("--records", "1500", "--seed", "2")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    out = tmp_path_factory.mktemp("demo") / "out"
    return out, unveil("demo", "--out", out, *SMALL, "--json")


def test_the_story_names_every_layer_and_the_report(shown: tuple[Path, Done]) -> None:
    out, done = shown
    for part in ("Two owners", "The record unit", "The attribute unit", "The result", "who saw what"):
        assert part in done.stderr
    assert str(out / "report.html").split("/")[-1] in done.stderr.replace("\n", "")
    assert json.loads(done.stdout)["final_f1"] > json.loads(done.stdout)["initial_f1"]


def test_the_report_shows_masked_pairs(shown: tuple[Path, Done]) -> None:
    """People in the demo are generated, so the report may show what the reviewer saw."""
    text = (shown[0] / "report.html").read_text(encoding="utf-8")
    assert "***" in text
    assert "http:" not in text
    assert "https:" not in text


def test_every_record_gets_a_link_id_and_joined_they_are_the_people_in_both_files(
    shown: tuple[Path, Done],
) -> None:
    out, done = shown
    links: dict[str, dict[str, str]] = {}
    for side in "ab":
        with (out / f"links-{side}.csv").open(encoding="utf-8") as file:
            links[side] = {row["record_id"]: row["link_id"] for row in csv.DictReader(file)}
    assert [1500, 1500] == [len(links[side]) for side in "ab"]
    with (out / "people" / "truth.csv").open(encoding="utf-8") as file:
        truth = [(row["record_id_a"], row["record_id_b"]) for row in csv.DictReader(file)]
    with (out / "links.csv").open(encoding="utf-8") as file:
        joined = [(row["link_id_a"], row["link_id_b"]) for row in csv.DictReader(file)]
    found = set(joined) & {(links["a"][a], links["b"][b]) for a, b in truth}
    recall = json.loads(done.stdout)["trajectory"][-1]["recall"]
    # Each person is joined once, so of those that match a few are lost.
    assert recall * len(truth) - 5 <= len(found) <= recall * len(truth) + 0.5
    assert max(Counter(pair[side] for pair in joined for side in (0, 1)).values()) <= 3
    assert not set(links["a"].values()) & set(links["b"].values())


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are not to be had on Windows")
def test_a_person_can_review_quit_and_resume(tmp_path: Path) -> None:
    """In a real terminal: two labels, quit, come back to the third pair, finish, read the report."""
    arguments = ["-m", "unveil", "demo", "--out", str(tmp_path), "--records", "2000", "--budget", "30", "--terminal"]

    def start() -> pexpect.spawn:
        return pexpect.spawn(sys.executable, arguments, dimensions=(30, 100), encoding="utf-8", timeout=PATIENCE)

    first = start()
    for number in (1, 2):
        first.expect(f"pair {number} of 10")
        first.expect("quit")
        first.send("m")
    first.expect("pair 3 of 10")
    first.expect("quit")
    first.send("q")
    first.expect(pexpect.EOF)
    first.wait()  # one that is closed while it is ending would be killed
    first.close()
    assert 75 == first.exitstatus
    assert not (tmp_path / "report.html").exists()
    second = start()
    second.expect("pair 3 of 10")  # not the first one again
    second.expect("quit")
    second.send("n")
    for _ in range(100):
        if second.expect(["quit", pexpect.EOF]) == 1:
            break
        second.send("\r" if "hands them in" in str(second.before) else "n")
    second.wait()
    second.close()
    assert 0 == second.exitstatus
    assert (tmp_path / "report.html").exists()
    tasks = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))["tasks"].values()
    assert 2 == [task["label"] for task in tasks].count("match")
