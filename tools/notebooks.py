"""
Notebooks without Jupyter: their code is run cell by cell, and what each shows is kept as Jupyter would keep it.

`python -m tools.notebooks` runs every notebook in docs/notebooks in an empty folder and writes what they show; with
`--check` it writes nothing and ends with 1 if a notebook shows other kinds of things than it says.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[1] / "docs" / "notebooks"
_NUMBER: Final = re.compile(r"\d+")
_IMAGE: Final = re.compile(r"base64,[A-Za-z0-9+/=]+")


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with what its cells show when they are run, one after the other, in this process and folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            outputs = _outputs("".join(cell["source"]), names, number)
            cells.append({**cell, "execution_count": number, "outputs": outputs})
        else:
            cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(code: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {number}>", "exec"), names)  # noqa: S102 - our own notebooks, as Jupyter would
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)  # noqa: S307
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": _lines(value._repr_html_()), **data}
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def alike(notebook: dict[str, Any]) -> str:
    """What the notebook shows, with every number and picture left out: runs differ in seconds and digits."""
    return _NUMBER.sub("0", _IMAGE.sub("", json.dumps([cell.get("outputs") for cell in notebook["cells"]])))


def read(path: Path) -> dict[str, Any]:
    """The notebook in that file."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@contextlib.contextmanager
def _empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def main(words: Sequence[str] | None = None) -> int:
    """Run the notebooks; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description="run the notebooks")
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER, help="folder of the notebooks")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if one shows other things")
    given = parser.parse_args(words)
    stale = 0
    for path in sorted(given.folder.resolve().glob("*.ipynb")):
        before = read(path)
        with _empty_folder():
            after = executed(before)
        if given.check:
            stale += alike(before) != alike(after)
        else:
            path.write_text(json.dumps(after, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            sys.stdout.write(f"{path.name} run\n")
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
