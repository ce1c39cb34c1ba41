"""The group of commands `unveil owner`, in the order in which help lists them."""

from __future__ import annotations

import typer

from unveil.cli.app import app
from unveil.cli.owner.begin_commands import check, init
from unveil.cli.owner.console_command import console, pause, resume
from unveil.cli.owner.look_commands import approve, ledger, results, status
from unveil.cli.owner.work_commands import run, upload

commands = typer.Typer(help="an owner's part: check, upload, answer wishes, fetch links", no_args_is_help=True)
app.add_typer(commands, name="owner")

for _command in (init, check, upload, run, console, approve, pause, resume, status, ledger, results):
    commands.command()(_command)
