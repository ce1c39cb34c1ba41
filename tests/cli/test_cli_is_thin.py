"""The command line parses and prints, and nothing else: what works, waits or calls lives in the rooms below."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CLI = Path(__file__).parents[2] / "src" / "unveil" / "cli"
FILES = sorted(CLI.rglob("*.py"))
LONGEST = 250  # lines
#: Threads, sockets and loops belong to the runtime and the transport, the log's entries to storage.
FORBIDDEN = (
    "threading", "socket", "ssl", "concurrent", "asyncio", "httpx",
    "unveil.storage.log", "unveil.protocol.frames", "unveil.protocol.codec", "unveil.transport",
)  # fmt: skip


def imported(source: str) -> Iterator[str]:
    """Every module, and every name in one, that a file imports, inside functions and for type checking too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def breaches(source: str) -> list[str]:
    """What a file of the command line imports and must not."""
    return [name for name in imported(source) if any(f"{name}.".startswith(f"{each}.") for each in FORBIDDEN)]


def test_there_are_files_to_look_at() -> None:
    """A folder that moved would pass unseen."""
    assert len(FILES) > 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CLI)))
def test_a_file_of_the_command_line_is_short_and_works_through_other_rooms(path: Path) -> None:
    """A web console will do the same work, and must not copy it from here."""
    source = path.read_text(encoding="utf-8")
    assert [] == breaches(source)
    assert len(source.splitlines()) <= LONGEST


@pytest.mark.parametrize(
    "line",
    [
        "import threading",
        "from concurrent.futures import ThreadPoolExecutor",
        "from unveil.protocol import codec",
        "def f():\n    from unveil.transport.http.client import UnitClient",
        "if TYPE_CHECKING:\n    from unveil.storage.log.log import ProjectLog",
    ],
)
def test_each_way_to_import_is_noticed(line: str) -> None:
    """Else the rule could be broken by accident."""
    assert breaches(line)


def test_what_only_sounds_alike_is_allowed() -> None:
    """The names of modules are compared, not letters."""
    assert [] == breaches("import sslib\nfrom unveil.storage.logs import x\nfrom unveil.protocol.roles import Role")
