"""Fetch what browser tests need, and say where it is."""

from tools.browser import axe, chromium

print(chromium().program)  # noqa: T201 - a command
axe()
