"""Options that the owner's commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Argument(help="the owner's folder, see unveil owner init", show_default=False)]
AllowUnprotected = Annotated[
    bool, typer.Option("--demonstration", help="allow what protects nobody: seeds and shared certificates of units")
]
