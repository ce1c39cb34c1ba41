"""What a unit answers when it does not do what was asked. Problems name fields and limits, never a value."""

from __future__ import annotations

import json
from typing import Final

from starlette.responses import Response

from unveil.errors import (
    Closed,
    Conflict,
    LocalProtocolError,
    ProtocolError,
    SettingError,
    StorageError,
    TooEarly,
    UnveilError,
)

RETRY_AFTER: Final = "1"  # seconds
_LONGEST: Final = 300


def problem(status: int, text: str) -> Response:
    """An answer with a problem for a person to read."""
    headers = {"Retry-After": RETRY_AFTER} if status == 503 else None  # noqa: PLR2004 - service unavailable
    body = json.dumps({"problem": text[:_LONGEST]}).encode()
    return Response(body, status, headers=headers, media_type="application/json")


def refusal() -> Response:
    """The one answer to whoever is not recognised or not allowed, and to whatever does not exist."""
    return problem(403, "refused")


def failure() -> Response:
    """Something broke that should not have."""
    return problem(500, "the unit failed")


def of_error(error: UnveilError) -> Response:
    """The answer to what a unit raised on purpose."""
    match error:
        case Closed():  # its text may name more than the caller knows
            return problem(410, "the project is closed")
        case StorageError():  # its text may name files of the unit
            return problem(503, "the unit cannot store anything now; try again")
        case LocalProtocolError():  # a defect of the unit itself
            return failure()
        case ProtocolError() | SettingError():
            return problem(_status(error), error.message)
        case _:
            return failure()


def _status(error: UnveilError) -> int:
    match error:
        case Conflict():
            return 409
        case TooEarly():
            return 425
        case _:
            return 422
