"""`unveil completion`: the script is one that the shell takes, and what it then offers is what there is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import unveil

from unveil.cli.completion import ASKED, Shell

BIN = Path(sys.executable).parent


def in_bash(tmp_path: Path, *words: str) -> list[str]:
    """What a real shell offers behind these words, of which the last one is being typed."""
    bash = shutil.which("bash")
    assert bash is not None, "a shell is needed to try what is written for it"
    (tmp_path / "unveil.sh").write_text(unveil("completion", "bash").stdout, encoding="utf-8")
    typed = " ".join(f"'{word}'" for word in ("unveil", *words))
    script = f"""
        source unveil.sh
        COMP_WORDS=({typed}); COMP_CWORD={len(words)}
        $(complete -p unveil | sed 's/.*-F \\([^ ]*\\).*/\\1/') unveil
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [bash, "--norc", "-c", script], cwd=tmp_path, env={**os.environ, **path}, capture_output=True, text=True,
        check=True, timeout=60,
    )  # fmt: skip
    assert not done.stderr
    return done.stdout.split()


def test_a_shell_completes_commands_options_and_choices(tmp_path: Path) -> None:
    """Of three kinds of words, each is looked up elsewhere."""
    assert {"schema", "serve", "simulate"} == set(in_bash(tmp_path, "s"))
    assert ["export"] == in_bash(tmp_path, "key", "ex")
    assert ["--threshold"] == in_bash(tmp_path, "link", "--thr")
    assert ["record-unit", "review-unit"] == in_bash(tmp_path, "serve", "re")


@pytest.mark.parametrize("shell", Shell)
def test_there_is_a_script_for_every_shell_that_is_named(shell: Shell) -> None:
    """It asks this program, by the variable that this program looks at."""
    done = unveil("completion", shell.value)
    assert (0, "") == (done.returncode, done.stderr)
    assert ASKED in done.stdout
    assert "unveil" in done.stdout


def test_a_shell_that_is_not_known_is_wrong_usage() -> None:
    """The choices are named."""
    done = unveil("completion", "tcsh")
    assert (2, True) == (done.returncode, "bash" in done.stderr)
