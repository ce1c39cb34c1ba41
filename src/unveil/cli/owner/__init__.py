"""
`unveil owner`: what an organisation that holds data does in a project, on the command line.

The work is done by `unveil.runtime.owner`; here options are read and reports printed. `commands` is the group, and
`begin_commands`, `work_commands` and `look_commands` hold its commands with their options. `*_lines` put reports into
words, `screen` shows work that takes long, `stopping` lets Ctrl-C end it.
"""

from __future__ import annotations

from unveil.cli.owner import commands

__all__ = ["commands"]
