"""
Logs as lines of JSON that hold ids and counts and nothing else.

A key that is not on the list is dropped, and so is every value that is not a number or a short text. What libraries
log is reduced to where it came from, since their texts may quote what they were working on.
"""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any, Final, Protocol, TextIO

import structlog

KEYS: Final = frozenset(
    {
        "event", "level", "time", "logger", "where", "error",
        "project", "role", "party", "caller", "message_id", "task", "recipient", "kind",
        "method", "path", "status", "bytes", "seconds", "count", "attempt", "pause", "host", "port", "version",
        "stage", "waits_for", "counted", "done", "of",
    }
)  # fmt: skip
_LONGEST: Final = 128


class Log(Protocol):
    """What the transport needs of a logger."""

    def info(self, event: str, **fields: object) -> object:
        """Something happened."""
        ...

    def warning(self, event: str, **fields: object) -> object:
        """Something went wrong on the other side."""
        ...

    def error(self, event: str, **fields: object) -> object:
        """Something went wrong here."""
        ...


def only_ids_and_counts(_logger: object, _method: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The fields that may be logged."""
    return {key: value for key, value in fields.items() if key in KEYS and _is_plain(value)}


def _is_plain(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST
    return value is None or isinstance(value, bool | int | float)


def logger(stream: TextIO) -> Log:
    """A logger that writes lines of JSON to a stream."""
    log: Log = structlog.wrap_logger(
        _Unfailing(stream),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
            only_ids_and_counts,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    )
    return log


def configure(stream: TextIO) -> Log:
    """Send all logs of this process to a stream, those of libraries too; return the logger for the application."""
    log = logger(stream)
    root = logging.getLogger()
    root.handlers = [_Libraries(log)]
    root.setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
        logging.getLogger(name).setLevel(logging.WARNING)
    return log


class _Unfailing(structlog.WriteLogger):
    """Writes lines; a full disk must not stop the work, and there is nobody left to tell."""

    def msg(self, message: str) -> None:
        """Write a line, if it can be written."""
        with suppress(OSError):
            super().msg(message)

    info = warning = error = msg


class _Libraries(logging.Handler):
    """Notes that a library logged something, where, and the kind of the exception. Not its text."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record's origin."""
        kind = record.exc_info[0] if record.exc_info else None
        fields = {
            "logger": record.name,
            "where": f"{record.module}:{record.lineno}",
            "error": kind.__name__ if kind else None,
        }
        if record.levelno >= logging.ERROR:
            self._log.error("library", **fields)
        else:
            self._log.warning("library", **fields)
