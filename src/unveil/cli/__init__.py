"""The command line: one file per group of commands, heavy rooms imported inside the command."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from unveil.errors import UnveilError

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the command line; a failure prints one line and a hint, never a traceback with values."""
    from unveil.cli.app import app
    from unveil.cli.commands import register
    from unveil.cli.completion import prepare_answer
    from unveil.cli.door import say_error, say_failure
    from unveil.safety.core_dumps import turn_off_core_dumps

    turn_off_core_dumps()  # most commands hold a key or people's values at some time
    register()
    prepare_answer()
    try:
        app()
    except UnveilError as error:
        say_failure(error)
        sys.exit(EXIT_FAILED)
    except KeyboardInterrupt:
        say_error("interrupted", None)
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - a defect; its text may quote what was being worked on
        say_error(f"a defect of Unveil: {type(error).__name__} at {_places(error)}", "please report this line")
        sys.exit(EXIT_FAILED)


def _places(error: BaseException) -> str:
    """Where in our own code an exception came through, the innermost place last; no line of code and no value."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "unveil" in frame.filename]
    return " > ".join(f"{Path(frame.filename).stem}:{frame.lineno}" for frame in ours[-4:])
