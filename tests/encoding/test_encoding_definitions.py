"""The fast paths against the definitions, written out bit by bit in plain Python."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from unveil.encoding import draws
from unveil.encoding.encoder import Encoder
from unveil.encoding.hashing import masks, positions
from unveil.encoding.keys import OwnerKey
from unveil.encoding.normalise import normalise
from unveil.encoding.rbf import rbf_layout
from unveil.records import Column, Records
from unveil.schema import Attribute, Schema

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "encoding_filters.json").read_text(encoding="utf-8")
)
ROWS: dict[str, list[str]] = VECTORS["records"]
SECRET = bytes.fromhex(VECTORS["key"])
PROJECT: str = VECTORS["project"]
SCHEMA = Schema.model_validate(VECTORS["schema"])
RECORDS = Records([str(i) for i in range(4)], {name: Column.of(values) for name, values in ROWS.items()})
ENCODER = Encoder(SCHEMA, OwnerKey(SECRET), project=PROJECT)


def prefixed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def subkey(*parts: bytes) -> bytes:
    info = prefixed(b"project", PROJECT.encode(), b"layer", *parts)
    return HKDF(algorithm=SHA256(), length=32, salt=b"unveil/1", info=info).derive(SECRET)


def plain_positions(key: bytes, token: str, m: int, h: int) -> list[int]:
    found: list[int] = []
    block = 0
    while len(found) < h:
        digest = hmac.new(key, block.to_bytes(4, "little") + token.encode(), "sha256").digest()
        words = [int.from_bytes(digest[i : i + 2], "little") for i in range(0, 32, 2)]
        found += [word % m for word in words if word < m * (65536 // m)]
        block += 1
    return found[:h]


def plain_tokens(value: str, attribute: Attribute, index: int) -> set[str]:
    text, q = normalise(value, attribute.normalise), attribute.q
    if not text:
        return set()
    if attribute.padding:
        text = chr(0xE000 + index) * (q - 1) + text + chr(0xE000 + index) * (q - 1)
    return {text[i : i + q] for i in range(len(text) - q + 1)} or {text}


def plain_filter(value: str, index: int, key: bytes, m: int, h: int) -> int:
    """The filter as one big number, bit i worth 2^i."""
    tokens = plain_tokens(value, SCHEMA.attributes[index], index)
    bits = {position for token in tokens for position in plain_positions(key, token, m, h)}
    return sum(1 << bit for bit in bits)


def as_number(row: np.ndarray) -> int:
    return int.from_bytes(row.astype("<u8").tobytes(), "little")


def cells() -> Iterator[tuple[int, int, str]]:
    for index, attribute in enumerate(SCHEMA.attributes):
        for row, value in enumerate(ROWS[attribute.name]):
            yield row, index, value


def test_clk_is_the_or_of_its_attributes_filters() -> None:
    """Attribute salting: one key per attribute, one filter for all."""
    expected = [0] * 4
    for row, index, value in cells():
        key = subkey(b"R", b"attribute", SCHEMA.names[index].encode())
        expected[row] |= plain_filter(value, index, key, SCHEMA.layer_r.m, SCHEMA.layer_r.h)
    assert expected == [as_number(row) for row in ENCODER.record_level(RECORDS)]


def test_attributes_have_positions_of_their_own_in_a_record() -> None:
    """A multiple of layer_r.h, to the nearest whole number, and one at least, or an attribute would be left out."""
    multiples = [2.0, 0.01, 1.3, *([1.0] * (len(SCHEMA.attributes) - 3))]
    pairs = zip(SCHEMA.attributes, multiples, strict=True)
    attributes = tuple(one.model_copy(update={"in_record": multiple}) for one, multiple in pairs)
    schema = SCHEMA.model_copy(update={"attributes": attributes})
    expected = [0] * 4
    for row, index, value in cells():
        key = subkey(b"R", b"attribute", SCHEMA.names[index].encode())
        h = max(1, round(multiples[index] * SCHEMA.layer_r.h))
        expected[row] |= plain_filter(value, index, key, SCHEMA.layer_r.m, h)
    found = Encoder(schema, OwnerKey(SECRET), project=PROJECT).record_level(RECORDS)
    assert expected == [as_number(row) for row in found]


def test_plain_attribute_filters_follow_their_definition() -> None:
    """They are the baseline that keyed filters are judged against."""
    filters = ENCODER.attribute_level(RECORDS)
    for row, index, value in cells():
        key = subkey(b"A", b"attribute", SCHEMA.names[index].encode())
        expected = plain_filter(value, index, key, SCHEMA.layer_a.m, SCHEMA.attributes[index].h)
        assert expected == as_number(filters[row, index])


def test_keyed_attribute_filters_follow_their_definition() -> None:
    """The batch path shortens HKDF to one HMAC; it must still be HKDF."""
    pairs = [bytes([i]) * 16 for i in range(4)]
    filters = ENCODER.pair_level(RECORDS, np.array([3, 2, 1, 0]), pairs)
    for row, index, value in cells():
        key = subkey(b"A", b"pair", pairs[3 - row], b"attribute", SCHEMA.names[index].encode())
        expected = plain_filter(value, index, key, SCHEMA.layer_a.m, SCHEMA.attributes[index].h)
        assert expected == as_number(filters[3 - row, index])


def test_rbf_takes_its_bits_from_where_the_layout_says() -> None:
    """The attack study compares what it finds with this layout."""
    rbf = SCHEMA.model_copy(update={"layer_r": SCHEMA.layer_r.model_copy(update={"encoding": "rbf"})})
    layout = rbf_layout(rbf, OwnerKey(SECRET), project=PROJECT)
    encoded = Encoder(rbf, OwnerKey(SECRET), project=PROJECT).record_level(RECORDS)
    sources: dict[tuple[int, int], int] = {}
    for row, index, value in cells():
        key = subkey(b"R", b"attribute", SCHEMA.names[index].encode())
        sources[row, index] = plain_filter(value, index, key, SCHEMA.layer_a.m, SCHEMA.attributes[index].h)
    places = list(enumerate(zip(layout.attribute.tolist(), layout.source.tolist(), strict=True)))
    for row in range(4):
        expected = sum((sources[row, a] >> s & 1) << place for place, (a, s) in places)
        assert expected == as_number(encoded[row])


def test_blocking_keys_follow_their_definition() -> None:
    """Equality keys use the normalised value, so Özge and ozge differ only by transliteration."""
    keys = ENCODER.blocking_keys(RECORDS)
    key = subkey(b"blocking", b"name", b"name+year")
    fields = [(b"oezge strasser", b"1970"), (b"ozge strasser", b"1971"), (b"ann", b"1970")]
    expected = [hmac.digest(key, prefixed(*parts), "sha256")[:16] for parts in fields] + [bytes(16)]
    assert expected == [row.tobytes() for row in keys[:, 0]]


@pytest.mark.parametrize(("m", "h"), [(64, 1), (192, 33), (1024, 512), (32832, 40), (65536, 17)])
def test_positions_follow_their_definition_for_every_length(m: int, h: int) -> None:
    """At m = 32832 half of the words are skipped, so streams must be read on by unequal lengths."""
    tokens = [chr(97 + i) + chr(98 + i) for i in range(20)]
    expected = [plain_positions(SECRET, token, m, h) for token in tokens]
    found = positions([(SECRET, [token.encode() for token in tokens])], m=m, h=h)
    assert expected == found.tolist()
    assert [len(set(row)) for row in expected] == np.bitwise_count(masks(found, m=m)).sum(axis=1).tolist()


def test_the_first_word_past_the_last_whole_multiple_is_skipped() -> None:
    """This token's first word is exactly m·⌊65536/m⌋; taken, it would favour position 0."""
    assert [26974, 7550] == positions([(bytes(range(32)), [b"djk"])], m=32832, h=2)[0].tolist()


def plain_words(count: int) -> list[int]:
    blocks = [hmac.digest(SECRET, i.to_bytes(8, "little"), "sha256") for i in range(count)]
    return [int.from_bytes(block[i : i + 8], "little") for block in blocks for i in (0, 8, 16, 24)]


def test_keyed_permutation_sorts_the_words_of_the_stream() -> None:
    """Another implementation can repeat it with a sort."""
    words = plain_words(25)[:99]
    assert sorted(range(99), key=words.__getitem__) == draws.permutation(SECRET, 99).tolist()


def test_keyed_draws_read_the_stream_in_order_and_skip_repeats() -> None:
    """Diffusion needs distinct positions: a repeated one would cancel itself."""
    words = plain_words(50)
    assert [word % 7 for word in words[:20]] == draws.draw(SECRET, 7, (10, 2)).ravel().tolist()
    expected, rest = [], iter(word % 7 for word in words)
    for _ in range(6):
        row: list[int] = []
        while len(row) < 5:
            number = next(rest)
            row += [] if number in row else [number]
        expected.append(row)
    assert expected == draws.draw_distinct(SECRET, 7, (6, 5)).tolist()
