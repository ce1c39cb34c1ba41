"""
`unveil owner`: what an organisation that holds data does in a project. It opens no port.

`commands` are the commands, with their options. Beside it lies what each does: `init`, `check`, `upload`, `run`,
`approve`, `status`, `ledger`; `session` holds an owner's folder open while one works, `folder` only looks into it.
`verdict` is what the record unit says of the upload, and when that ends the work.
"""

from __future__ import annotations

from unveil.cli.owner import commands

__all__ = ["commands"]
