"""`import unveil`: quick, typed, and every name that it offers is documented."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import unveil
import unveil.api
from tools.reference.python_page import public_names, python_page

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")


def test_importing_unveil_imports_nothing_heavy() -> None:
    """Whoever imports it in a program that may not need it pays nothing."""
    code = "import unveil, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert "unveil" in loaded
    assert set() == loaded & {"numpy", "pyarrow", "pydantic", "sklearn", "numba", "typer", "unveil.api"}


def test_the_package_its_stub_and_the_front_door_offer_the_same() -> None:
    """Type checkers read the stub, programs the package."""
    offered = set(unveil.api.__all__)
    assert offered <= set(dir(unveil))
    stub = ast.parse((ROOT / "src" / "unveil" / "__init__.pyi").read_text(encoding="utf-8"))
    named = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert offered == named
    for name in offered:
        assert getattr(unveil.api, name) is getattr(unveil, name)


def test_what_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="lnik"):
        unveil.lnik  # type: ignore[attr-defined]  # noqa: B018 - looking is the test


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_is_documented(name: str) -> None:
    """With what it takes and what it has, each with a meaning."""
    section = PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]
    one = public_names()[name]
    assert inspect.getdoc(one)
    if not inspect.isclass(one):
        assert all(f"{parameter}: " in section for parameter in inspect.signature(one).parameters)
        return
    for row in re.findall(r"^\| `(.+?)` \| (.*) \|$", section, re.MULTILINE):
        assert row[1], f"{name}: {row[0]} has no meaning"


def test_a_name_that_is_added_changes_the_page() -> None:
    """Otherwise the page could be current and incomplete."""
    assert "\n## dump\n" in python_page({"dump": json.dumps, **public_names()})


def test_every_parameter_is_explained() -> None:
    """One that nobody explains is used wrongly."""
    for name, one in public_names().items():
        if inspect.isclass(one):
            continue
        text = inspect.getdoc(one) or ""
        for parameter in inspect.signature(one).parameters:
            assert re.search(rf"\b{parameter}\b", text), f"{name}: {parameter}"
