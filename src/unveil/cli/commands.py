"""Every command, in the order in which help lists them."""

from __future__ import annotations

import importlib

GROUPS = (
    "demo", "generate", "check", "schema", "key", "encode", "link", "convert",
    "project", "pki", "unit", "serve", "token", "reviewer", "review_command", "owner", "join", "parties", "audit",
    "simulate", "engines", "bench", "experiment", "privacy", "doctor", "completion",
)  # fmt: skip


def register() -> None:
    """Import the command groups; each joins the application as it is imported, whoever imports it first."""
    from unveil.cli.app import app

    for group in (
        *GROUPS,
        "schema_propose",
        "experiment_worlds",
        "experiment_membership",
        "privacy_evidence",
        "privacy_report",
    ):
        importlib.import_module(f"unveil.cli.{group}")
    app.registered_commands.sort(key=lambda command: _place(getattr(command.callback, "__module__", None)))
    app.registered_groups.sort(key=lambda group: _place(group.name))


def _place(name: object) -> int:
    """Where a command stands in the list, by the name of its group or module."""
    return GROUPS.index(str(name).rsplit(".", 1)[-1])
