"""A project as people make one: by the commands of the documentation, with an authority for a trial."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unveil.protocol.roles import UNITS

OWNERS = ("hospital-a", "hospital-b")
UNIT_SLUGS = tuple(role.slug for role in UNITS)


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def make_project(folder: Path, unveil: Callable[..., Any]) -> dict[str, int]:
    """An authority, certificates for everybody and `project.toml` in the folder; the port of each unit."""
    ports = dict(zip(UNIT_SLUGS, free_ports(len(UNIT_SLUGS)), strict=True))
    steps: list[tuple[str, ...]] = [("pki", "new", str(folder))]
    steps += [("pki", "issue", str(folder), name) for name in (*UNIT_SLUGS, *OWNERS)]
    project = str(folder / "project.toml")
    steps.append(("project", "new", project, "--name", "trial"))
    for name in OWNERS:
        steps.append(
            ("project", "join", project, "--role", "owner", "--name", name, "--certificate", pem(folder, name))
        )
    for name, port in ports.items():
        address = f"https://127.0.0.1:{port}"
        steps.append(
            ("project", "join", project, "--role", name, "--certificate", pem(folder, name), "--address", address)
        )
    for step in steps:
        done = unveil(*step)
        assert (0, step) == (done.returncode, step), done.stderr
    return ports


def pem(folder: Path, name: str) -> str:
    """The certificate of a party."""
    return str(folder / f"{name}.pem")


def unit_init(folder: Path, role: str, *more: str, config: str | None = None) -> tuple[str, ...]:
    """The words that write the configuration of a unit into that folder."""
    key, authority = str(folder / f"{role}.key"), str(folder / "authority.pem")
    target = str(folder / (config or f"{role}.toml"))
    files = ("--project", str(folder / "project.toml"), "--certificate", pem(folder, role), "--tls-key", key)
    return ("unit", "init", role, "--config", target, *files, "--authority", authority, *more)
