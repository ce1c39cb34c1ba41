"""
The end of a project at one party: everything is erased but counts, the link table and the chain of the log.

Closing cannot be undone. Messages that were not fetched yet would be lost, so it is refused while there are any.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from unveil.errors import SettingError
from unveil.party.host import Host
from unveil.protocol.machine import Machine


def close(
    host: Host[Any],
    *,
    result: Callable[[Any], Mapping[str, bytes]] = lambda _: {},
    force: bool = False,
    clock: Callable[[], float] = time.time,
) -> dict[str, int]:
    """Close a project and return its counts; `result` says what is kept of the machine."""

    def closing(machine: Machine) -> dict[str, int]:
        counts = host.log.counts()
        if counts["waiting"] and not force:
            raise SettingError(
                f"{counts['waiting']} messages were not delivered yet", hint="wait for them, or close with --force"
            )
        host.log.close(counts, result(machine), time=clock())
        return counts

    return host.look(closing)
