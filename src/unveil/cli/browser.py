"""A page is opened in the person's own browser."""

from __future__ import annotations

import contextlib
import webbrowser
from pathlib import Path


def open_link(link: str, door: Path) -> None:
    """
    Open a link by way of the file `door`, which sends the browser on.

    Other users of the machine can read command lines, and a link may let somebody in.
    """
    from unveil.files.atomic import replacing

    with replacing(door) as temporary:
        temporary.write_text(f'<meta http-equiv="refresh" content="0;url={link}">\n', encoding="utf-8")
    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(door.resolve().as_uri())
