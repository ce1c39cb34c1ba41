"""The architecture page is true: its map is the floor plan, and every file and name on it exists."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "unveil"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|toml|md))(?::([\w.]+))?`")
PLACES = sorted(set(PLACE.findall(PAGE)))
ROOM = re.compile(r"^\| (\d+) \| `(\w+)` \|", re.MULTILINE)


def floors() -> list[set[str]]:
    """The rooms of each floor by the linter's contract, top floor first; rooms in brackets may be missing."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    plan = next(one for one in contracts if one["name"] == "rooms import what lies below them")
    return [{room.strip(" ()") for room in floor.split("|")} for floor in plan["layers"]]


def names_in(path: Path) -> set[str]:
    """What a file defines: functions, classes, constants, and Class.method."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name, body=body):
                found.add(name)
                found |= {f"{name}.{one.name}" for one in body if isinstance(one, ast.FunctionDef)}
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
    return found


def located(place: str) -> Path:
    """Where a path on the page leads."""
    return ROOT / place if (ROOT / place).exists() else SOURCE / place


def test_the_map_is_the_floor_plan() -> None:
    """Every room, on the floor that the linter enforces, top floor first."""
    listed = ROOM.findall(PAGE)
    expected = floors()
    assert [str(number) for number in range(len(expected), 0, -1)] == list(dict.fromkeys(floor for floor, _ in listed))
    assert expected == [{room for at, room in listed if at == str(number)} for number in range(len(expected), 0, -1)]


def test_every_room_is_on_the_map() -> None:
    """A room that is not listed is one where people get lost."""
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")} | {path.stem for path in SOURCE.glob("*.py")}
    assert rooms - {"__init__", "__main__"} <= {room for _, room in ROOM.findall(PAGE)}


@pytest.mark.parametrize(("place", "name"), PLACES, ids=str)
def test_every_file_and_name_on_the_page_exists(place: str, name: str) -> None:
    """Walks that lead nowhere are worse than none."""
    path = located(place)
    assert path.is_file(), place
    assert not name or name in names_in(path), f"{place} has no {name}"


def test_the_page_has_three_walks_eight_changes_and_a_glossary() -> None:
    """What newcomers asked for."""
    walks = re.findall(r"^### (?:A record|A wish|A message):", PAGE, re.MULTILINE)
    changes = PAGE.split("## How to add")[1].split("## Glossary")[0]
    words = re.findall(r"^\| ([^|]+) \|", PAGE.split("## Glossary")[1], re.MULTILINE)[2:]
    assert 3 == len(walks)
    assert 8 <= len(re.findall(r"^\| an? ", changes, re.MULTILINE))
    assert words == sorted(words, key=str.casefold), "in alphabetical order"
    assert len(words) == len(set(words)), "each word once"
