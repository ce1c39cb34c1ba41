"""Whether a unit answers, asked by anyone who trusts its authority: `GET /healthz`, which tells nothing else."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from unveil.transport.failures import Unreachable

_STRANGE: Final = "something answers there that is not a unit"
_LONGEST: Final = 1 << 10  # bytes of an answer that are looked at


@dataclass(frozen=True, slots=True)
class Health:
    """A unit answered; by how many seconds its clock is ahead of ours, if it said what time it is."""

    ahead: float | None


def ask_health(address: str, tls: ssl.SSLContext, *, called: str | None = None, timeout: float = 5.0) -> Health:
    """
    Ask the unit at this address (https://host:port); Unreachable if no unit answers there.

    `called` is the host that its certificate must name, if that is not the address itself: a unit that is asked on
    loopback has the name under which others call it.
    """
    extensions = {} if called is None else {"sni_hostname": called}
    try:
        with (
            httpx.Client(verify=tls, trust_env=False, follow_redirects=False, timeout=timeout) as client,
            client.stream("GET", f"{address}/healthz", extensions=extensions) as answer,
        ):
            body = next(answer.iter_bytes(_LONGEST), b"")
            now = datetime.now(UTC)
    except (httpx.HTTPError, ssl.SSLError) as error:
        raise Unreachable(address, _reason(error)) from None
    if answer.status_code != httpx.codes.OK or body != b'{"status":"ok"}':
        raise Unreachable(address, _STRANGE)
    return Health(_ahead(answer.headers.get("date"), now))


def _reason(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not accepted: {cause.verify_message}"
        cause = cause.__cause__ or cause.__context__
    return "no answer in time" if isinstance(error, httpx.TimeoutException) else "nothing takes the connection"


def _ahead(date: str | None, now: datetime) -> float | None:
    try:
        return None if date is None else (parsedate_to_datetime(date) - now).total_seconds()
    except (TypeError, ValueError):
        return None
