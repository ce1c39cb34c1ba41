"""A reviewer's way to a review unit from elsewhere: HTTPS with a token from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from unveil.errors import SettingError
from unveil.files import private_file
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context

#: Takes a step and returns what is before the reviewer after it; Conflict if the step does not fit what is.
TakeStep = Callable[..., dict[str, Any]]
_LONGEST: Final = 4096  # bytes of a token's file


@contextmanager
def at_review_unit(server: str, project: str, *, token_file: Path, authority: Path) -> Iterator[TakeStep]:
    """The steps of a reviewer at that unit, until the block ends."""
    hint = "unveil token new writes one; only you may read it"
    text = private_file.read(token_file, longest=_LONGEST, error=SettingError, hint=hint)
    token = text.decode(errors="replace").strip()
    with UnitClient(server, client_context(Credentials(authority)), project, token=token) as client:
        yield client.step
