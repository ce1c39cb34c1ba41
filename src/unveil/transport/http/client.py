"""
How owners and units call a unit.

Every way in which a call can fail is an error of its own, so that callers know whether to try again. Answers are
bounded while they are read: a unit is not trusted with the caller's memory.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Final, Protocol, Self

import httpx

from unveil.errors import Closed, Conflict, SettingError, TooEarly
from unveil.transport.failures import Busy, LogSetBack, Refused, Rejected, UnitSetBack, Unreachable
from unveil.transport.http.limits import FRAME, LONGEST_WAIT
from unveil.transport.port import is_name
from unveil.transport.status import UnitStatus, printable, read_status

_PIECE: Final = 64 << 10
_LARGEST_FRAME: Final = 64 << 20
_LARGEST_TEXT: Final = 16 << 20
_IDLE: Final = 60.0  # seconds; less than units keep idle connections
_STRANGE: Final = "something answers there that is not a unit"
_HEAD: Final = "Unveil-Head"
_HEAD_BYTES: Final = 32
_OWN_CERTIFICATE: Final = (
    "perhaps it does not accept our own certificate: ended, of another authority, not for client authentication"
)


class Witness(Protocol):
    """What a caller knows of its own log and of the unit's."""

    def head(self) -> bytes:
        """The head of the caller's own log."""
        ...

    def holds(self, head: bytes) -> bool:
        """Whether the caller's own log holds that head."""
        ...

    def noted(self) -> bytes | None:
        """The head of the unit's log that the caller noted last."""
        ...


class UnitClient:
    """
    Calls one unit about one project. Safe to use from several threads; connections are reused.

    With a `witness`, logs are compared before the first message is sent or fetched, and again whenever the unit may
    have been started anew: LogSetBack if our own log was set back, UnitSetBack if the unit's was.
    """

    def __init__(
        self, address: str, tls: ssl.SSLContext, project: str, *, token: str | None = None, timeout: float = 30.0
    ) -> None:
        url = httpx.URL(address)
        if url.scheme != "https" or not url.host or url.path not in {"", "/"} or url.query or url.userinfo:
            raise SettingError("the address of a unit must look like https://host:port")
        if not is_name(project):
            raise SettingError("not the name of a project")
        self.address = address.rstrip("/")
        self._base = f"{self.address}/v1/projects/{project}"
        self._timeout = timeout
        self._shows_certificate = token is None
        self.witness: Witness | None = None
        self._compared = False
        self._comparing = threading.Lock()
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._http = httpx.Client(
            verify=tls,
            headers=headers,
            trust_env=False,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=16, max_keepalive_connections=4, keepalive_expiry=_IDLE),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def compare(self) -> None:
        """Compare logs with the unit: whether it knows of entries that ours does not hold, or we of entries of its."""
        with self._comparing:
            noted = self.witness.noted() if self.witness else None
            try:
                answer = self._object(
                    self._call("POST", "/witness", json={"noted": None if noted is None else noted.hex()})
                )
            except Conflict:
                raise UnitSetBack(self.address) from None
            theirs = _hash(answer.get("noted"))
            if self.witness is not None and theirs is not None and not self.witness.holds(theirs):
                raise LogSetBack(self.address)
            self._compared = True

    def _exchange(self, method: str, path: str, **request: Any) -> _Answer:
        """A call that sends or fetches a message: after logs were compared, and with the head of our own."""
        if self.witness is not None and not self._compared:
            self.compare()
        try:
            return self._call(method, path, **request)
        except (TooEarly, Unreachable) as error:
            self._compared = False  # the unit may have been started anew, perhaps with an older log
            if self.witness is None and isinstance(error, TooEarly):
                self.compare()  # whoever keeps no log has noted nothing, and says so
            raise

    def _own_head(self) -> dict[str, str]:
        return {} if self.witness is None else {"head": self.witness.head().hex()}

    def put(self, message_id: str, frame: bytes) -> bytes | None:
        """Hand in a message; when this returns, the unit has stored it. Returns the head of its log."""
        # A length is given, so that the unit can refuse before it reads; pieces keep the TLS layer from copying the
        # rest of the frame over and over.
        headers = {"Content-Type": FRAME, "Content-Length": str(len(frame))}
        answer = self._exchange(
            "PUT",
            f"/messages/{_name(message_id)}",
            headers=headers,
            params=self._own_head(),
            content=_pieces(frame),
        )
        return answer.head

    def mail(self, wait: int = 0) -> tuple[str, bytes] | None:
        """The oldest message for this owner and its id, waiting for one if need be; None if there is none."""
        seconds = max(0, min(int(wait), LONGEST_WAIT))
        answer = self._exchange(
            "GET", "/mailbox", params={"wait": str(seconds)}, extra_s=seconds, largest=_LARGEST_FRAME
        )
        if answer.status == httpx.codes.NO_CONTENT:
            return None
        message_id = answer.headers.get("Unveil-Message-Id", "")
        if not is_name(message_id):
            raise Unreachable(self.address, _STRANGE)
        return message_id, answer.body

    def acknowledge(self, message_id: str) -> bytes | None:
        """Tell the unit that this message arrived; the head of its log."""
        return self._exchange("DELETE", f"/mailbox/{_name(message_id)}", params=self._own_head()).head

    def status(self) -> UnitStatus:
        """Where the project stands at this unit; what the unit does not tell in a way that can be read is not known."""
        return read_status(self._object(self._call("GET", "")))

    def tasks(self) -> list[dict[str, Any]]:
        """The tasks that wait for a verdict."""
        found = self._json(self._call("GET", "/tasks"))
        if not isinstance(found, list) or not all(isinstance(task, dict) for task in found):
            raise Unreachable(self.address, _STRANGE)
        return found

    def open_cell(self, task: str, attribute: str, stage: str) -> dict[str, Any]:
        """Open an attribute of a task further; the task as it is shown now."""
        content = {"attribute": attribute, "stage": stage}
        return self._object(self._call("POST", f"/tasks/{_name(task)}/cells", json=content))

    def step(self, do: str, **more: bool | int | str | None) -> dict[str, Any]:
        """Take a step of a reviewer; what is before them after it."""
        return self._object(self._call("POST", "/steps", json={"do": do, **more}))

    def verdict(self, task: str, match: bool | None, p: float) -> None:  # noqa: FBT001 - as in Verdict
        """Decide a task; None is unsure."""
        self._call("PUT", f"/tasks/{_name(task)}/verdict", json={"match": match, "p": p})

    def _call(
        self,
        method: str,
        path: str,
        *,
        extra_s: float = 0,
        largest: int = _LARGEST_TEXT,
        **request: Any,
    ) -> _Answer:
        timeout = httpx.Timeout(self._timeout + extra_s, connect=min(5.0, self._timeout))
        course = _Course()
        request["extensions"] = {"trace": course}
        try:
            with self._http.stream(method, self._base + path, timeout=timeout, **request) as response:
                answer = _Answer(response.status_code, response.headers, _read(response, largest))
        except (httpx.TransportError, httpx.StreamError, _TooMuch) as error:
            reason, is_all = _reason(error)
            if course.hung_up and not is_all and self._shows_certificate:
                reason += f"; {_OWN_CERTIFICATE}"
            raise Unreachable(self.address, reason) from None
        except RuntimeError:
            # Closed by another thread while this one was about to call: it is stopping, and no defect.
            if not self._http.is_closed:
                raise
            raise Unreachable(self.address, "the connection was closed here") from None
        self._check(answer)
        return answer

    def _check(self, answer: _Answer) -> None:
        match answer.status:
            case 200 | 204:
                return
            case 403:
                raise Refused(self.address)
            case 409:
                raise Conflict(answer.problem)
            case 410:
                raise Closed(answer.problem)
            case 413 | 415 | 422:
                raise Rejected(answer.problem)
            case 425:
                raise TooEarly("this party", "a message", answer.problem)
            case 503:
                raise Busy(self.address)
            case _:
                raise Unreachable(self.address, f"it answered with status {answer.status}")

    def _json(self, answer: _Answer) -> object:
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            raise Unreachable(self.address, _STRANGE) from None

    def _object(self, answer: _Answer) -> dict[str, Any]:
        found = self._json(answer)
        if not isinstance(found, dict):
            raise Unreachable(self.address, _STRANGE)
        return found


class _Answer:
    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def head(self) -> bytes | None:
        """The head of the unit's log, if it tells it in its usual way."""
        return _hash(self.headers.get(_HEAD))

    @property
    def problem(self) -> str:
        """What the unit says is wrong, if it says so in its usual way."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            return ""
        text = found.get("problem") if isinstance(found, dict) else None
        return printable(text) if isinstance(text, str) else ""


class _Course:
    """How far a call got, as the HTTP library reports it."""

    def __init__(self) -> None:
        self._greeted = self._answered = False

    def __call__(self, event: str, _details: object) -> None:
        self._greeted |= event == "connection.start_tls.started"
        self._answered |= event == "http11.receive_response_headers.complete"

    @property
    def hung_up(self) -> bool:
        """
        Whether a connection that was made for this call ended before an answer.

        In TLS 1.3 a caller believes the handshake done before the other side has looked at its certificate, so a
        certificate that is not accepted shows as the end of the connection, then or a moment later.
        """
        return self._greeted and not self._answered


class _TooMuch(Exception):
    pass


def _read(response: httpx.Response, largest: int) -> bytes:
    if "Content-Encoding" in response.headers:
        raise _TooMuch
    parts, size = [], 0
    for part in response.iter_raw():
        size += len(part)
        if size > largest:
            raise _TooMuch
        parts.append(part)
    return b"".join(parts)


def _pieces(frame: bytes) -> Iterator[bytes]:
    for start in range(0, len(frame), _PIECE):
        yield frame[start : start + _PIECE]


def _hash(text: object) -> bytes | None:
    """A head as it is written; None if it is anything else."""
    try:
        found = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        return None
    return found if len(found) == _HEAD_BYTES else None


def _name(text: str) -> str:
    if not is_name(text):
        raise SettingError("not an id of a message or a task")
    return text


def _reason(error: BaseException) -> tuple[str, bool]:
    """Why a call failed, in words that hold no contents, and whether these words tell all there is."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not accepted ({cause.verify_message})", True
        if isinstance(cause, ssl.SSLError):
            return f"TLS failed ({(cause.reason or 'unknown').lower().replace('_', ' ')})", False
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, _TooMuch):
        return "its answer is too large or encoded", True
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time", True
    return "the connection failed", False
