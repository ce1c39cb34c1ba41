from __future__ import annotations

import sys
from pathlib import Path

import pytest

from unveil.lab.bench import compare, encode
from unveil.lab.bench.peers import Peers

PROGRAMS = Path(__file__).parents[3] / "benchmarks" / "peers"
HERE = Path(sys.executable)


@pytest.mark.parametrize("program", [encode._PROGRAM, compare._PROGRAM])
def test_every_program_that_is_asked_for_lies_in_the_repository(program: str) -> None:
    """A name that nobody finds would read as a peer that nobody has installed."""
    assert Peers(HERE, PROGRAMS).obstacle("peer", program) is None


def test_what_stands_in_the_way_is_named(tmp_path: Path) -> None:
    """Without the repository an installation of the peer would not help, so that is said first."""
    none = tmp_path / "none"
    without_programs = Peers(none, none).obstacle("clkhash", encode._PROGRAM)
    assert f"comparing with clkhash needs the repository of Unveil: there is no {none / encode._PROGRAM}" == (
        without_programs
    )
    assert "make bench installs clkhash in .venv-peers" == Peers(none, PROGRAMS).obstacle("clkhash", encode._PROGRAM)


def test_a_program_gets_its_arguments_and_its_answer_is_read(tmp_path: Path) -> None:
    """The peer's interpreter shares nothing with ours but arguments and what is printed."""
    (tmp_path / "sum.py").write_text("import sys\nprint(sum(map(float, sys.argv[1:])))\n")
    assert 3.5 == Peers(HERE, tmp_path).run("sum.py", 1, 2.5)


@pytest.mark.parametrize("code", ["raise SystemExit(1)", "import a_module_that_nobody_has"])
def test_a_program_that_fails_has_no_figure(tmp_path: Path, code: str) -> None:
    """A figure that was not measured is missing, never 0."""
    (tmp_path / "fails.py").write_text(code)
    assert Peers(HERE, tmp_path).run("fails.py") is None
    assert Peers(tmp_path / "none", tmp_path).run("fails.py") is None
