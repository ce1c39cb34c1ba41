"""The pictures in the documentation, and what the README says that the demo prints, are of this build."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tools import pictures
from tools.pictures import Drawn

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
MADE_FROM = json.loads((IMAGES / pictures.RECORD).read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
LARGEST = 300_000  # bytes; whoever clones the repository gets every picture there ever was


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    """What this build draws; no browser is needed for it."""
    return pictures.draw()


def test_the_pictures_show_what_this_build_draws(drawn: Drawn) -> None:
    """A newcomer compares their own screen with these; `make pictures` draws them anew."""
    assert {name: picture["drawn_from"] for name, picture in MADE_FROM.items()} == drawn.hashes()


@pytest.mark.parametrize("name", MADE_FROM)
def test_every_picture_is_the_one_that_was_drawn_then_and_small(name: str) -> None:
    """A picture that was not drawn anew with its record would show an older build."""
    data = (IMAGES / name).read_bytes()
    assert MADE_FROM[name]["picture"] == pictures.hashed(data)
    assert len(data) < LARGEST


def test_every_picture_is_in_the_documentation_and_has_a_record() -> None:
    """One without a record would never be drawn anew."""
    shown = {name for page in (README, *(p.read_text("utf-8") for p in (ROOT / "docs").glob("*.md")))
             for name in re.findall(r"images/([\w-]+\.\w+)", page)}  # fmt: skip
    assert shown == set(MADE_FROM) == {path.name for path in IMAGES.iterdir()} - {pictures.RECORD}


def test_the_pages_hold_nothing_that_differs_from_run_to_run(drawn: Drawn) -> None:
    """Times, memory and paths would make every run another one."""
    for page in (drawn.report, drawn.review):
        assert not re.search(r"\b\d+(\.\d+)? ?(s|seconds)\b|memory|/tmp", page)
    assert drawn.report.rstrip().endswith("</main></body></html>")


def test_another_figure_gives_another_hash(drawn: Drawn) -> None:
    """The comparison above can fail."""
    other = Drawn(drawn.report.replace("people linked", "links"), drawn.review, drawn.story)
    assert drawn.hashes()["report.png"] != other.hashes()["report.png"]
    assert drawn.hashes()["review.png"] == other.hashes()["review.png"]


def test_the_readme_prints_what_the_demo_prints(drawn: Drawn) -> None:
    """Under "What you will see"; an ellipsis stands for lines that are left out."""
    block = re.search(r"What you will see:\n\n```text\n(.*?)```", README, re.DOTALL)
    assert block is not None
    lines = [line for line in block[1].splitlines() if line.strip() not in ("", "…")]
    assert [] == [line for line in lines if line not in drawn.story.splitlines()]
    assert len(lines) > 5


def test_a_report_without_its_second_section_says_where_to_look() -> None:
    """The top must not grow to the whole report, with its times, by a renamed heading."""
    with pytest.raises(pictures.PictureError, match="no section on quality"):
        pictures.top_of("<html><body><main></main></body></html>")


def test_without_chromium_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], drawn: Drawn
) -> None:
    """A record without its pictures would say that old ones are new."""
    monkeypatch.setattr(pictures, "draw", lambda: drawn)
    monkeypatch.setenv("UNVEIL_CHROMIUM", str(tmp_path / "nowhere"))
    assert 1 == pictures.main([str(tmp_path)])
    assert "there is no Chromium\nhint: $UNVEIL_CHROMIUM names" in capsys.readouterr().err
    assert [] == list(tmp_path.iterdir())
