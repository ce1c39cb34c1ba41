"""Every command, in the order in which help lists them."""

from __future__ import annotations

import importlib

GROUPS = ("demo", "generate", "schema", "key", "encode", "link", "simulate", "engines", "bench", "experiment")


def register() -> None:
    """Import the command groups; each joins the application as it is imported."""
    for group in GROUPS:
        importlib.import_module(f"unveil.cli.{group}")
