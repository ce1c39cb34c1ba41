"""
Whether a party's own certificate will do, told to the party itself.

The other side of a connection sees the same faults, but all it does is hang up: to whoever holds the certificate that
looks like a network that is down.
"""

from __future__ import annotations

import ipaddress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from unveil.errors import Problem
from unveil.projects.certificates import Certificate

SOON: Final = timedelta(days=14)
_RENEWED: Final = "one that is in force; a renewed certificate with the same key is the same party"


def certificate_problems(
    key: str, path: Path, found: Certificate, now: datetime, *, calls: bool, address: str | None = None
) -> list[Problem]:
    """
    What is wrong with the certificate in that file now, under the key that names the file.

    `calls` says that its holder calls units with it, `address` where its holder listens with it.
    """
    return [*_out_of_force(key, path, found, now), *unfit(key, path, found, calls=calls, address=address)]


def unfit(key: str, path: Path, found: Certificate, *, calls: bool, address: str | None = None) -> list[Problem]:
    """What no date can mend: a purpose that the certificate is not made for, a host that it does not name."""
    problems = []
    purposes = [
        ("client", calls and not found.for_callers),
        ("server", address is not None and not found.for_listeners),
    ]
    for side, lacking in purposes:
        if lacking:
            what = f"{path}: cannot be used for {side} authentication"
            problems.append(Problem(key, what, f"a certificate that allows {side} authentication"))
    host = "" if address is None else urlsplit(address).hostname or ""
    if host and not names_host(found, host):
        named = f"is for {', '.join(found.hosts)}, not for {host}" if found.hosts else f"names no host, so not {host}"
        allowed = "a certificate that names the host of the unit's address as an alternative name"
        problems.append(Problem(key, f"{path}: {named}", allowed))
    return problems


def ends_soon(path: Path, found: Certificate, now: datetime) -> str | None:
    """A note while the certificate is in force for a few more days only."""
    if not found.valid(now) or found.not_after - now > SOON:
        return None
    days = (found.not_after - now).days
    left = "today or tomorrow" if days < 1 else f"in {days} day{'s' * (days > 1)}"
    return f"{path}: the certificate ends {left}, at {_moment(found.not_after)}; renew it with the same key"


def names_host(found: Certificate, host: str) -> bool:
    """Whether callers of this host accept the certificate; `*` stands for one label, as callers take it."""
    try:
        wanted = ipaddress.ip_address(host)
    except ValueError:
        names = {name.lower() for name in found.hosts}
        return host in names or f"*.{host.partition('.')[2]}" in names
    return str(wanted) in found.hosts


def _out_of_force(key: str, path: Path, found: Certificate, now: datetime) -> list[Problem]:
    if found.valid(now):
        return []
    ended = now > found.not_after
    what = f"ended at {_moment(found.not_after)}" if ended else f"begins at {_moment(found.not_before)}, not before"
    return [Problem(key, f"{path}: {what}", _RENEWED if ended else f"{_RENEWED}; is the clock right?")]


def _moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"
