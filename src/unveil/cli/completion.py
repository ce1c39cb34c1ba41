"""`unveil completion`: what a shell needs to complete commands, options and choices."""

from __future__ import annotations

import os
from enum import Enum
from typing import Annotated, Final

import typer

from unveil.cli.app import app
from unveil.cli.door import say_text

#: Set by the script, in the shell, when it asks which words could follow.
ASKED: Final = "_UNVEIL_COMPLETE"


class Shell(Enum):
    """A shell that can be helped."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


@app.command()
def completion(shell: Annotated[Shell, typer.Argument(help="for which shell", show_default=False)]) -> None:
    """
    Print the script that lets a shell complete the words of a command line. Nothing is installed.

    Bash: unveil completion bash > ~/.local/share/bash-completion/completions/unveil

    Zsh, into a folder of $fpath: unveil completion zsh > ~/.zfunc/_unveil

    Fish: unveil completion fish > ~/.config/fish/completions/unveil.fish

    Example: unveil completion bash
    """
    from typer._completion_shared import get_completion_script

    say_text(get_completion_script(prog_name="unveil", complete_var=ASKED, shell=shell.value))


def prepare_answer() -> None:
    """Where a shell asks, make Typer know the shells; it does so by itself only if it may add options of its own."""
    if ASKED in os.environ:
        from typer.completion import get_completion_inspect_parameters

        get_completion_inspect_parameters()
