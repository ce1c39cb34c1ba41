"""A unit as a process: its configuration is read, and it serves until it is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unveil.errors import SettingError
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Role
from unveil.runtime.serve import AddPages, serve_unit
from unveil.transport.failures import CannotListen
from unveil.transport.http.server import ready_file


def run_unit(
    role: Role,
    config: Path,
    *,
    ready: Path | None,
    demonstration: bool,
    on_listening: Callable[[str, int], None],
    on_note: Callable[[str], None],
    add_pages: AddPages | None = None,
) -> None:
    """Run the unit of that configuration. `ready` is a file that holds host and port once the unit listens."""

    def listening(host: str, port: int) -> None:
        on_listening(host, port)
        if ready is not None:
            ready_file(ready)(host, port)

    settings = UnitConfig.load(config, demonstration=demonstration)
    try:
        serve_unit(
            role, settings, demonstration=demonstration, on_ready=listening, on_note=on_note, add_pages=add_pages
        )
    except CannotListen as error:
        raise SettingError(error.message, hint=f"host and port stand under [listen] in {config}") from None
