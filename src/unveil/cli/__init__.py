"""The command line: one file per group of commands, heavy rooms imported inside the command."""

from __future__ import annotations

import sys

from unveil.errors import UnveilError

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the command line; a failure prints one line and a hint, never a traceback with values."""
    from unveil.cli.app import app, say_error
    from unveil.cli.commands import register

    register()
    try:
        app()
    except UnveilError as error:
        say_error(error.message, error.hint)
        sys.exit(EXIT_FAILED)
    except KeyboardInterrupt:
        say_error("interrupted", None)
        sys.exit(EXIT_INTERRUPTED)
