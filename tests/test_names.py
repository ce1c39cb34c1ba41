"""Names of the code: one class for each name, and none that a newcomer would have to guess."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "unveil"
#: Words that once named something and that nobody understood: owner's fetcher, worker of a machine, request handlers,
#: status poller, to take a status in, groups of records under one key, the owner's side.
RIDDLES = frozenset({"errand", "seat", "desk", "lookout", "heed", "crowd", "at_owner"})
#: Class names that said too little: a unit's status, an owner's progress, a cache of comparisons, request slots.
RIDDLE_CLASSES = frozenset({"Word", "Standing", "Remembered", "Places"})


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def identifiers(tree: ast.AST) -> Iterator[str]:
    """Every name that a file defines, binds or uses."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.alias(name=name, asname=alias):
                yield from name.split(".")
                yield alias or ""
            case ast.ImportFrom(module=str(name)):
                yield from name.split(".")
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names


def words(identifier: str) -> str:
    """The identifier in small letters, with underscores between and around its words: `SeatTable` is `_seat_table_`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier)
    return f"_{apart.lower().strip('_')}_"


@cache
def is_riddle(identifier: str) -> bool:
    if identifier.lstrip("_") in RIDDLE_CLASSES:
        return True
    return any(f"_{riddle}{ending}_" in words(identifier) for riddle in RIDDLES for ending in ("", "s"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def riddles(path: Path) -> set[str]:
    """The riddles among the names in a file and in its path."""
    return {
        name for name in (*identifiers(parsed(path)), *Path(name_of(path)).with_suffix("").parts) if is_riddle(name)
    }


def public_classes(path: Path) -> list[str]:
    """The classes that other modules may import."""
    return [node.name for node in parsed(path).body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


def test_no_two_modules_have_a_public_class_of_the_same_name() -> None:
    """One word, one meaning: whoever reads a class name must not have to look where it came from."""
    where = defaultdict(list)
    for path in modules():
        for name in public_classes(path):
            where[name].append(name_of(path))
    assert {} == {name: found for name, found in where.items() if len(found) > 1}


def test_no_name_is_a_riddle() -> None:
    """These names were given up for plain ones; they must not come back by an old habit or an old branch."""
    found = {name_of(path): riddles(path) for path in modules()}
    assert [] == [f"{name}: {', '.join(sorted(names))}" for name, names in found.items() if names]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("seat = 1", {"seat"}),
        ("x.seats", {"seats"}),
        ("def f(errand): ...", {"errand"}),
        ("f(desk=1)", {"desk"}),
        ("from x.lookout import y", {"lookout"}),
        ("class SeatTable: ...", {"SeatTable"}),
        ("def _heed(): ...", {"_heed"}),
        ("_CROWD = 1", {"_CROWD"}),
        ("keys_at_owner = 1", {"keys_at_owner"}),
        ("class Standing: ...", {"Standing"}),
        ("class _Word: ...", {"_Word"}),
        ("def f():\n    import a as seat", {"seat"}),
        ("seated = heeded = desktop = crowded = 1", set()),
        ("class Words: ...\nword = standing = places = 1", set()),
        ("'the seat'  # an errand", set()),
    ],
)
def test_riddles_are_recognised_wherever_a_name_can_stand(code: str, found: set[str]) -> None:
    """The walk itself is tested, or it might see nothing; prose and longer words are left alone."""
    assert found == {name for name in identifiers(ast.parse(code)) if is_riddle(name)}
