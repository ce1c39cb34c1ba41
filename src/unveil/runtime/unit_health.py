"""Whether the unit of a configuration answers on this machine, as whoever starts it again should ask."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from unveil.errors import SettingError
from unveil.projects.certificates import read_certificate
from unveil.projects.unit_config import UnitConfig
from unveil.transport.http.health import Health, ask_health
from unveil.transport.http.tls import Credentials, client_context

#: Where a unit that listens on all addresses is asked.
_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing listens here


def unit_health(config: UnitConfig, *, timeout: float = 5.0) -> Health:
    """The unit's answer; Unreachable if it gives none. It must show the certificate that its configuration names."""
    if not config.port:
        raise SettingError(f"{config.source}: the system chooses the port, so nobody knows where to ask")
    certificate: Path = config.tls.certificate
    shown = read_certificate(certificate)
    tls = client_context(Credentials(config.tls.authority), server_key=shown.public_key)
    called = next((host for host in shown.hosts if not host.startswith("*")), None)
    return ask_health(local_address(config), tls, called=called, timeout=timeout)


def local_address(config: UnitConfig) -> str:
    """Where the unit is reached from this machine."""
    host = _LOOPBACK.get(config.host, config.host)
    return f"https://[{host}]:{config.port}" if ":" in host else f"https://{host}:{config.port}"
