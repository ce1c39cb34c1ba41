"""
Batches as bytes: a small frame of our own, so that nothing is read but what a kind declares.

    magic "UNV" + protocol version (1 byte) | header length (4 bytes, little-endian) | header (JSON) | columns

The header names the kind, the fields that are not columns, and the length of each column in the order in which they
follow. Unknown kinds and fields, missing fields, wrong types and wrong lengths are refused before anything is built.
A header has one spelling, and any other is refused: kind, fields, columns, each with the fields in the order of their
kind, no blanks, no character escaped without need. Messages travel so, and decisions are kept so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from unveil.errors import ProtocolError
from unveil.protocol.columnar import Columnar

VERSION = 5
_MAGIC = b"UNV" + bytes([VERSION])
_LENGTH = 4
_MAX_HEADER = 256 << 10  # bytes; values are in headers, one task's in each. As JSON it may take twenty times its size
B = TypeVar("B", bound=Columnar)


class FrameError(ProtocolError):
    """Bytes that are not a message of this protocol."""


def write(batch: Columnar) -> bytes:
    """The batch as bytes."""
    text, columns = _written(batch)
    return b"".join([_MAGIC, len(text).to_bytes(_LENGTH, "little"), text, *columns])


def _written(batch: Columnar) -> tuple[bytes, list[bytes]]:
    """The header, in its one spelling, and the columns."""
    plain: dict[str, Any] = {}
    columns: list[tuple[str, bytes]] = []
    for field in fields(batch):
        value = getattr(batch, field.name)
        if isinstance(value, bytes):
            columns.append((field.name, value))
        else:
            plain[field.name] = [dict(entry) for entry in value] if isinstance(value, tuple) else value
    header = {"kind": batch.kind(), "fields": plain, "columns": [[name, len(data)] for name, data in columns]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return text, [data for _, data in columns]


def read(frame: bytes, kinds: Mapping[str, type[B]]) -> B:
    """The batch in these bytes, of one of these kinds; FrameError if they are anything else."""
    text, rest = _split(frame)
    header = _header(text)
    kind = kinds.get(header["kind"]) if isinstance(header["kind"], str) else None
    if kind is None:
        raise FrameError("unknown kind of message")
    plain, columns = _plain(kind, header["fields"]), _columns(header["columns"], rest)
    expected = {field.name: field.type for field in fields(kind)}
    values = plain | columns
    if set(values) != set(expected) or len(values) != len(plain) + len(columns):
        raise FrameError(f"{kind.__name__} needs exactly the fields {', '.join(expected)}")
    for name, annotation in expected.items():
        if not _fits(values[name], str(annotation)):
            raise FrameError(f"{kind.__name__}.{name} has the wrong type")
    try:
        batch = kind(**values)
    except ValueError as error:
        raise FrameError(f"{kind.__name__}: {error}") from None
    if _written(batch)[0] != text:
        # Blanks, repeated keys and escapes could fill a log with what no message holds.
        raise FrameError(f"the header of {kind.__name__} is not spelt as it must be")
    return batch


def _split(frame: bytes) -> tuple[bytes, memoryview]:
    """The header as it was written, and what follows it."""
    view = memoryview(frame)
    start = len(_MAGIC) + _LENGTH
    if bytes(view[:3]) != _MAGIC[:3]:
        raise FrameError("not a message of this protocol")
    if bytes(view[: len(_MAGIC)]) != _MAGIC:
        raise FrameError(
            f"another protocol version; this is version {VERSION}",
            hint="a project is finished with the release that it was begun with",
        )
    length = int.from_bytes(view[len(_MAGIC) : start], "little")
    if length > _MAX_HEADER:
        raise FrameError(f"the header has more than {_MAX_HEADER} bytes")
    if start + length > len(view):
        raise FrameError("the header is longer than the message")
    return bytes(view[start : start + length]), view[start + length :]


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise FrameError("the header is not JSON") from None
    if not isinstance(header, dict) or set(header) != {"kind", "fields", "columns"}:
        raise FrameError("the header needs exactly kind, fields and columns")
    return header


def _plain(kind: type[Columnar], given: object) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise FrameError("fields must be an object")
    sets = {field.name for field in fields(kind) if str(field.type) not in ("bytes", "int")}
    return {name: tuple(value) if name in sets and isinstance(value, list) else value for name, value in given.items()}


def _columns(given: object, rest: memoryview) -> dict[str, Any]:
    if not isinstance(given, list):
        raise FrameError("columns must be a list")
    found: dict[str, Any] = {}
    for entry in given:
        match entry:
            case [_, bool()]:  # true is 1 to Python
                raise FrameError("a column is not as announced")
            case [str(name), int(length)] if 0 <= length <= len(rest) and name not in found:
                found[name], rest = bytes(rest[:length]), rest[length:]
            case _:
                raise FrameError("a column is not as announced")
    if len(rest):
        raise FrameError("bytes follow the last column")
    return found


def _fits(value: object, annotation: str) -> bool:
    match annotation:
        case "bytes":
            return isinstance(value, bytes)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 32
        case _:
            return isinstance(value, tuple) and all(
                isinstance(entry, dict) and all(_is_text(name) and _is_text(text) for name, text in entry.items())
                for entry in value
            )


def _is_text(value: object) -> bool:
    # JSON can escape halves of a character that no UTF-8 text holds and no display can print.
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
