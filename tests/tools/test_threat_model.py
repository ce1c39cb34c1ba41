"""The threat model names, for every attack that it says is dealt with and for every claim, a test that there is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
#: How a row says that nothing is done, or not enough; all other states are claims.
OPEN = ("**leaks**", "**weak by default**", "**open by default**")


def rows(section: str, page: str = PAGE) -> list[list[str]]:
    """The cells of every row of the tables under a heading, without the heads of the tables."""
    text = page.split(f"\n## {section}\n")[1].split("\n## ", maxsplit=1)[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@cache
def cases_of(file: str) -> frozenset[str]:
    """Functions of a file of tests, and cases that a state machine makes."""
    path = ROOT / file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return frozenset(re.findall(r"^(?:def )?([Tt]est\w+)(?:\(|(?:: [^=]+)? = )", text, re.MULTILINE))


def without_test(row: list[str]) -> bool:
    """Whether a row says that something holds and names no test, or one that does not exist."""
    if any(row[-2].startswith(word) for word in OPEN):
        return False
    named = NAMED.findall(row[-1])
    return not named or not all(name in cases_of(file) for file, name in named)


@pytest.mark.parametrize("section", ["Attacks considered", "What is shown by running it"])
def test_every_row_has_its_test(section: str) -> None:
    """A defence that nothing would miss is gone with the next change."""
    found = rows(section)
    assert len(found) > 20
    assert [] == [row[0] for row in found if without_test(row)]


def test_a_row_without_a_test_or_with_a_name_of_none_is_noticed() -> None:
    """The control: a test that was renamed, one of a file that is gone, and none at all."""
    here = "tests/tools/test_threat_model.py"
    attack = ["an attack", "anybody", "a defence", "prevented"]
    assert not without_test([*attack, f"`{here}::test_every_row_has_its_test`"])
    assert without_test([*attack, f"`{here}::test_every_row_has_its_test`, `{here}::test_of_yesterday`"])
    assert without_test([*attack, "`tests/tools/test_gone.py::test_every_row_has_its_test`"])
    assert without_test([*attack, "–"])
    assert not without_test([*attack[:3], "**leaks**", "–"])
