from __future__ import annotations

import hashlib
import hmac

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.encoding.bulk import sha256
from unveil.errors import SettingError

# Kernels are compiled inside the first example.
patient = settings(deadline=None)


def digests(messages: list[bytes]) -> list[bytes]:
    """Plain SHA-256 of up to LANES messages: HMAC's kernel without the keys."""
    w, v = sha256.scratch()
    state = np.repeat(sha256._INITIAL, sha256.LANES)
    sha256.absorb(state, *sha256.flat(messages), 0, w, v)
    lanes = state.reshape(8, sha256.LANES).T.astype(">u4")
    return [lanes[i].tobytes() for i in range(len(messages))]


def macs(key: bytes, messages: list[bytes]) -> list[bytes]:
    pieces = np.arange(len(messages), dtype=np.int64)[:, None]
    return [row.tobytes() for row in sha256.hmac_all(key, messages, pieces)]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", b""),
        ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", b"abc"),
        (
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        ),
        ("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", b"a" * 1_000_000),
    ],
)
def test_sha256_gives_the_standards_examples(expected: str, message: bytes) -> None:
    """The examples published with FIPS 180-4, which owe nothing to our own library."""
    assert expected == digests([message])[0].hex()


@patient
@given(st.lists(st.binary(max_size=200), min_size=1, max_size=sha256.LANES))
def test_sha256_is_the_librarys_in_every_lane(messages: list[bytes]) -> None:
    """Messages of unequal length end in different blocks, and a lane that is done must stay as it is."""
    assert [hashlib.sha256(message).digest() for message in messages] == digests(messages)


@pytest.mark.parametrize("length", [54, 55, 56, 63, 64, 65, 118, 119, 120, 128])
def test_padding_is_right_around_the_border_of_a_block(length: int) -> None:
    """Where the length no longer fits, one more block follows."""
    message = bytes(range(length))
    assert [hashlib.sha256(message).digest()] == digests([message])


@patient
@given(st.binary(max_size=64), st.lists(st.binary(max_size=200), max_size=3 * sha256.LANES))
def test_hmac_is_the_librarys_for_every_key_and_message(key: bytes, messages: list[bytes]) -> None:
    """Owners with and without compiled kernels must meet."""
    assert [hmac.digest(key, message, "sha256") for message in messages] == macs(key, messages)


@patient
@given(st.lists(st.binary(max_size=20), min_size=1), st.data())
def test_messages_are_made_of_pieces_in_their_order(texts: list[bytes], data: st.DataObject) -> None:
    """A blocking key joins fields; the pieces save us a Python object per record."""
    number = st.integers(0, len(texts) - 1)
    pieces = data.draw(st.lists(st.tuples(number, number, number), min_size=1, max_size=40))
    expected = [hmac.digest(b"k", b"".join(texts[i] for i in row), "sha256")[:16] for row in pieces]
    found = sha256.hmac_all(b"k", texts, np.array(pieces, dtype=np.int64), size=16)
    assert expected == [row.tobytes() for row in found]


def test_a_key_longer_than_a_block_is_refused_without_showing_it() -> None:
    """HMAC would hash it first, which no key of this room needs."""
    with pytest.raises(SettingError, match="65 bytes") as error:
        sha256.one_key(b"s" * 65)
    assert "ss" not in str(error.value).replace("bytes", "")
