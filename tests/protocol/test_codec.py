from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from every_message import BY_KIND, SAMPLES, any_message
from hypothesis import example, given
from hypothesis import strategies as st

from unveil.errors import ProtocolError
from unveil.protocol.codec import FrameError, decode, encode
from unveil.protocol.flows import FLOWS
from unveil.protocol.messages import (
    Agreement,
    AttributeValues,
    Fingerprint,
    Labels,
    LinkTable,
    Message,
    RecordEncodings,
    Refusal,
)

LABELS = Labels(bytes(32), b"\x00\x01", bytes(16))
by_kind = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)


def frame(header: object, *columns: bytes) -> bytes:
    """A frame with any header, made without the encoder."""
    text = header if isinstance(header, bytes) else spelt(header)
    return b"UNV\x05" + len(text).to_bytes(4, "little") + text + b"".join(columns)


def spelt(header: object) -> bytes:
    """A header as it must be spelt."""
    return json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()


def header_of(message: Message) -> tuple[dict[str, Any], bytes]:
    """The header of a message, and the columns that follow it."""
    wire = encode(message)
    end = 8 + int.from_bytes(wire[4:8], "little")
    return json.loads(wire[8:end]), wire[end:]


def test_every_kind_is_covered_here() -> None:
    """A message added to the table must be added to these tests."""
    assert set(FLOWS) == set(BY_KIND) == {type(sample) for sample in SAMPLES}


@given(any_message)
def test_every_message_reads_back_as_it_was_written(message: Message) -> None:
    """Kind, columns, numbers and texts, whatever they hold."""
    assert message == decode(encode(message))


@given(any_message, any_message)
def test_frames_are_equal_only_if_messages_are(one: Message, other: Message) -> None:
    """The encoding is canonical: a log may compare and hash frames instead of messages."""
    assert (one == other) == (encode(one) == encode(other))


def test_a_frame_is_laid_out_as_documented() -> None:
    """Pins the format for other implementations."""
    header = b'{"kind":"Refusal","fields":{},"columns":[["ids",16]]}'
    assert b"UNV\x05" + bytes([len(header), 0, 0, 0]) + header + b"0123456789abcdef" == encode(
        Refusal(b"0123456789abcdef")
    )


@by_kind
def test_a_header_has_one_spelling(sample: Message) -> None:
    """Blanks and the like would be kept in a log for ever, a quarter of a megabyte with every message."""
    header, columns = header_of(sample)
    assert sample == decode(frame(spelt(header), columns))
    plain = spelt(header)
    others = [
        json.dumps(header, ensure_ascii=False).encode(),
        plain + b" " * 100_000,
        b"\n" + plain,
        b"\xef\xbb\xbf" + plain,
        plain.decode().encode("utf-16"),
        plain.replace(b'"kind"', b'"k\\u0069nd"', 1),
        plain.replace(b"{", b'{"kind":"SECRET",', 1),
        spelt({name: header[name] for name in reversed(header)}),
    ]
    if len(header["fields"]) > 1:
        others.append(spelt({**header, "fields": dict(reversed(header["fields"].items()))}))
    for text in others:
        assert text != plain
        with pytest.raises(FrameError, match=r"not spelt|not JSON"):
            decode(frame(text, columns))


def test_columns_come_in_the_order_of_the_kind() -> None:
    """One message, one frame: a log that compares frames must not take the same message for another."""
    header, _ = header_of(LABELS)
    header["columns"] = [header["columns"][at] for at in (1, 0, 2)]
    with pytest.raises(FrameError, match="not spelt"):
        decode(frame(header, LABELS.g, LABELS.pair_ids, LABELS.p))


def test_a_value_is_escaped_only_where_json_needs_it() -> None:
    """A letter written as \\u0041 takes six bytes, and is no other message than the letter."""
    message = AttributeValues(bytes(16), ({"last_name": 'A"\n'},))
    wire = encode(message)
    assert message == decode(wire)
    header, columns = header_of(message)
    text = spelt(header).replace(b"A", b"\\u0041", 1)
    with pytest.raises(FrameError):
        decode(frame(text, columns))
    text = spelt(header).replace(b':"A', b':"\\u0041', 1)
    assert header == json.loads(text)
    with pytest.raises(FrameError, match="not spelt"):
        decode(frame(text, columns))


def test_text_travels_as_utf_8() -> None:
    """Names have accents, and a value keeps them."""
    wire = encode(AttributeValues(bytes(16), ({"last_name": "Žižková"},)))
    assert "Žižková".encode() in wire


@by_kind
def test_no_message_prints_what_it_carries(sample: Message) -> None:
    """Ids, keys, encodings and values must not reach a log or a traceback."""
    printed = f"{sample!r} {sample}"
    assert f"{type(sample).__name__}(<{len(sample)} entries>)" == repr(sample)
    assert "SECRET" not in printed
    assert b"SECRET".hex() not in printed


@by_kind
def test_every_truncation_is_refused(sample: Message) -> None:
    """A connection can break anywhere."""
    wire = encode(sample)
    for length in range(len(wire)):
        with pytest.raises(FrameError):
            decode(wire[:length])


@by_kind
def test_trailing_bytes_are_refused(sample: Message) -> None:
    """Nothing travels that no message declares."""
    with pytest.raises(FrameError, match="follow the last column"):
        decode(encode(sample) + b"\x00")


@by_kind
def test_unknown_fields_are_refused(sample: Message) -> None:
    """A field that this version does not know could carry anything."""
    header, columns = header_of(sample)
    header["fields"]["note"] = 1
    with pytest.raises(FrameError, match="exactly the fields"):
        decode(frame(header, columns))


@by_kind
def test_unknown_columns_are_refused(sample: Message) -> None:
    """Also an empty one."""
    header, columns = header_of(sample)
    header["columns"].append(["note", 0])
    with pytest.raises(FrameError, match="exactly the fields"):
        decode(frame(header, columns))


@by_kind
def test_missing_fields_are_refused(sample: Message) -> None:
    """One after the other, whether number, text or column."""
    header, columns = header_of(sample)
    for name in header["fields"]:
        fewer = {**header, "fields": {key: value for key, value in header["fields"].items() if key != name}}
        with pytest.raises(FrameError, match="exactly the fields"):
            decode(frame(fewer, columns))
    for name, length in header["columns"]:
        start = sum(size for _, size in header["columns"][: header["columns"].index([name, length])])
        fewer = {**header, "columns": [entry for entry in header["columns"] if entry[0] != name]}
        with pytest.raises(FrameError, match="exactly the fields"):
            decode(frame(fewer, columns[:start], columns[start + length :]))


@by_kind
def test_wrong_types_are_refused(sample: Message) -> None:
    """A number is no text, true is no number, and a column is not written into the header."""
    header, columns = header_of(sample)
    for name in header["fields"]:
        for wrong in (None, True, -1, 1.5, 2**32, "1", ["x"], [{"x": 1}], {"x": "y"}):
            with pytest.raises(FrameError):
                decode(frame({**header, "fields": {**header["fields"], name: wrong}}, columns))
    for entry in header["columns"]:
        moved = {
            **header,
            "fields": {**header["fields"], entry[0]: "00"},
            "columns": [other for other in header["columns"] if other != entry],
        }
        with pytest.raises(FrameError):
            decode(frame(moved, columns))


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(kind="Secrets"),
        lambda header: header.update(kind="Message"),
        lambda header: header.update(kind=["Labels"]),
        lambda header: header.update(kind=None),
        lambda header: header.pop("kind"),
        lambda header: header.pop("fields"),
        lambda header: header.update(more=1),
        lambda header: header.update(fields=[]),
        lambda header: header.update(fields=None),
        lambda header: header.update(fields={"g": 1}),
        lambda header: header.update(columns={}),
        lambda header: header.update(columns=[["pair_ids", 32], ["pair_ids", 2], ["p", 16]]),
        lambda header: header.update(columns=[["pair_ids", -1], ["g", 2], ["p", 16]]),
        lambda header: header.update(columns=[["pair_ids", 2**62], ["g", 2], ["p", 16]]),
        lambda header: header.update(columns=[["pair_ids", 32.0], ["g", 2], ["p", 16]]),
        lambda header: header.update(columns=[["pair_ids", 32], ["g", True], ["p", 17]]),
        lambda header: header.update(columns=[["pair_ids"], ["g", 2], ["p", 16]]),
        lambda header: header.update(columns=["pair_ids", "g", "p"]),
        lambda header: header.update(columns=[["pair_ids", 31], ["g", 3], ["p", 16]]),
        lambda header: header.update(columns=[["pair_ids", 16], ["g", 18], ["p", 16]]),
    ],
)
def test_headers_that_declare_something_else_are_refused(change: Change) -> None:
    """Unknown kinds, other shapes, lengths that are negative, absurd or do not fit the entries."""
    header, columns = header_of(LABELS)
    assert LABELS == decode(frame(header, columns))
    change(header)
    with pytest.raises(FrameError):
        decode(frame(header, columns))


@pytest.mark.parametrize("wire", [b"", b"UNV", b"GET / HTTP/1.1", b"UNW\x02" + bytes(4)])
def test_bytes_that_are_no_frame_are_refused(wire: bytes) -> None:
    """Somebody will point a browser at it."""
    with pytest.raises(FrameError):
        decode(wire)


def test_another_version_is_refused_by_its_number() -> None:
    """The other side learns which version is spoken here."""
    wire = bytearray(encode(LABELS))
    wire[3] = 1
    with pytest.raises(FrameError, match="this is version 5"):
        decode(bytes(wire))


@pytest.mark.parametrize("length", [2**32 - 1, (256 << 10) + 1])
def test_a_header_announced_as_huge_is_refused_unread(length: int) -> None:
    """Nothing is allocated on the word of a stranger."""
    with pytest.raises(FrameError, match="more than 262144 bytes"):
        decode(b"UNV\x05" + length.to_bytes(4, "little") + b"{}")


@pytest.mark.parametrize(
    "text",
    [b"[" * 200_000, b'{"a":' * 200_000, b"\xff\xfe", b"{", b"null", b"[]", b'"x"', b"9" * 5000, b"NaN"],
    ids=["deep list", "deep object", "not UTF-8", "cut", "null", "list", "text", "long number", "no number"],
)
def test_headers_that_are_no_object_are_refused(text: bytes) -> None:
    """Neither depth nor a number of 5,000 digits may end in anything but this error."""
    with pytest.raises(FrameError):
        decode(frame(text))


@given(st.binary(max_size=200))
@example(encode(LABELS)[:-1])
def test_random_bytes_end_in_one_kind_of_error(noise: bytes) -> None:
    """Whatever arrives, a reader has one thing to catch."""
    with pytest.raises(FrameError):
        decode(noise)


@given(any_message, st.data())
def test_a_flipped_byte_is_another_message_or_an_error(message: Message, data: st.DataObject) -> None:
    """Damage never crashes the reader, and never yields what is not a message."""
    wire = bytearray(encode(message))
    wire[data.draw(st.integers(0, len(wire) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(FrameError):
        assert type(decode(bytes(wire))) in FLOWS


def test_half_a_character_is_no_text() -> None:
    """JSON can escape it, but no display can print it and no file hold it."""
    for values in ('{"last_name":"\\ud83d"}', '{"\\udc00":"x"}'):
        text = f'{{"kind":"AttributeValues","fields":{{"values":[{values}]}},"columns":[["task_ids",16]]}}'
        with pytest.raises(FrameError, match="wrong type"):
            decode(frame(text.encode(), bytes(16)))


def test_a_refused_frame_does_not_quote_its_content() -> None:
    """The error may be logged."""
    header, columns = header_of(AttributeValues(bytes(16), ({"last_name": "SECRET"},)))
    for wire in (
        frame({**header, "kind": "SECRET"}, columns),
        frame({**header, "fields": {**header["fields"], "SECRET": 1}}, columns),
        frame({**header, "columns": [["task_ids", 16], ["SECRET", 99]]}, columns),
        frame({**header, "fields": {"values": [{"last_name": ["SECRET"]}]}}, columns),
        frame({**header, "fields": {"values": [{"last_name": "SECRET"}] * 2}}, columns),
        frame(b'{"SECRET', columns),
    ):
        with pytest.raises(FrameError) as error:
            decode(wire)
        assert "SECRET" not in str(error.value)
        assert error.value.__suppress_context__ or error.value.__context__ is None


def test_frame_errors_are_protocol_errors() -> None:
    """Whoever catches the family catches these."""
    assert issubclass(FrameError, ProtocolError)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Labels(bytes(16), b"", bytes(8)),
        lambda: Labels(bytes(15), b"", b""),
        lambda: Fingerprint(bytes(15)),
        lambda: Fingerprint(b""),
        lambda: Agreement(2, bytes(16)),
        lambda: Agreement(1, bytes(15)),
        lambda: RecordEncodings(bytes(16), 0, 1, 0, 0, bytes(16), b"", b""),
        lambda: RecordEncodings(bytes(16), 0, 1, 64, 0, bytes(16), bytes(8), bytes(16)),
        lambda: RecordEncodings(bytes(16), 0, 1, 64, 2, bytes(16), bytes(8), bytes(16)),
        lambda: RecordEncodings(bytes(16), 1, 1, 64, 0, b"", b"", b""),
        lambda: RecordEncodings(bytes(16), 0, 0, 64, 0, b"", b"", b""),
        lambda: RecordEncodings(bytes(16), 0, 65537, 64, 0, b"", b"", b""),
        lambda: LinkTable(2, 2, b"", b""),
        lambda: LinkTable(0, 65537, b"", b""),
        lambda: LinkTable(0, 1, bytes(16), b""),
        lambda: AttributeValues(bytes(16), ()),
    ],
)
def test_a_message_checks_its_own_shape(make: Callable[[], Message]) -> None:
    """A column that is too short or too long cannot even be made."""
    with pytest.raises(ValueError, match=r"bytes for|announced|sets of values|has 16 bytes|0 or 1"):
        make()


def test_a_long_header_is_refused_before_it_is_parsed() -> None:
    """As JSON it takes many times its size in memory."""
    text = b"[" + b"[]," * 100_000 + b"[]]"
    frame = encode(Refusal(b""))[:4] + len(text).to_bytes(4, "little") + text
    with pytest.raises(FrameError, match="more than 262144 bytes"):
        decode(frame)
