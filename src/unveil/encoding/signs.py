"""
Signs: an attribute as random bits that tell nothing about its value, and of two values how alike they are.

Under the key of a pair and an attribute each token draws a stream of fair bits, read as +1 and −1 (`hashing`: bit j is
bit j % 8 of byte j // 8 of its blocks). Sign j of a value is the sign of the sum over its tokens; where that is 0, bit
j of one more stream decides, that of the value's whole set of tokens. By themselves these bits are as fair coins are,
whatever the value: to turn all streams over turns each of them over. Two values under the same key have a sign in
common with probability 1 − θ/π, where cos θ is the share of tokens that they share, c / √(a·b): equal sets have all.

Behind the signs stands a mark of 64 bits, the same for every value under one key. What is missing, or held back, has
random bits in the place of signs and mark, other ones at each owner: that the marks differ shows that one of the two
values is missing, and not which.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import filters
from unveil.encoding.bits import CHUNK_BYTES, wire
from unveil.encoding.filters import column_of
from unveil.encoding.hashing import Job, streams
from unveil.encoding.keys import Subkeys, join_parts
from unveil.encoding.qgrams import tokenise
from unveil.linkage.bits import word_count
from unveil.linkage.signs import MOST_CLASSES
from unveil.records import Records
from unveil.schema import Schema
from unveil.schema.definition import MARK

#: Bits of a block of the streams.
BLOCK: Final = 256
#: Bytes that stand for a value's whole set of tokens: as long as the longest token.
WHOLE: Final = 16
#: The token whose stream begins with the mark; no value has it.
NO_TOKEN: Final = b""
_HALF: Final = 16  # values of half a byte
_LENGTHS: Final = [length.to_bytes(8, "big") for length in range(WHOLE + 1)]  # of tokens

Signs = NDArray[np.uint64]
Flags = NDArray[np.bool_]


def whole(tokens: Collection[bytes]) -> bytes:
    """What stands for this set of tokens: the beginning of SHA-256 of them, sorted and each after its length."""
    # As `join_parts` joins them: this is done for every value of every wish.
    joined = b"".join([_LENGTHS[len(token)] + token for token in sorted(tokens)])
    return hashlib.sha256(joined).digest()[:WHOLE]


def keyed_signs(
    records: Records,
    rows: NDArray[np.int64],
    key_pairs: Sequence[bytes],
    schema: Schema,
    keys: Subkeys,
    *,
    run: bytes,
    own: Sequence[bytes],
    sent: Flags | None,
) -> Signs:
    """
    For record rows[i] and every attribute its signs and mark under the key ("A", pair key_pairs[i], attribute name).

    What is missing, or not `sent`, is drawn by the same key and own[i], which no record of another owner has.
    """
    # Who has many records has loaded the kernels for these, however few are wished for at a time.
    if len(records) >= filters.WORTH_COMPILING or len(rows) >= filters.WORTH_COMPILING:
        from unveil.encoding.bulk import columns as bulk

        out = bulk.keyed_signs(records, rows, key_pairs, schema, keys, run=run)
    else:
        out = _one_by_one(records, rows, key_pairs, schema, keys, run=run)
    for index, attribute in enumerate(schema.attributes):
        # No value has a mark of zeros but by a chance of one in 2^64.
        gaps = out[:, index, -1] == 0
        if sent is not None:
            gaps |= ~sent[:, index]
        places = np.flatnonzero(gaps)
        pair_keys = keys.of_pairs([key_pairs[place] for place in places.tolist()], attribute.name, run=run)
        drawn = [_filler(key, own[place], out.shape[2]) for key, place in zip(pair_keys, places.tolist(), strict=True)]
        if drawn:
            out[places, index] = np.frombuffer(b"".join(drawn), "<u8").reshape(len(places), -1)
    return out


def _filler(key: bytes, own: bytes, words: int) -> bytes:
    """SHAKE-256 of HMAC-SHA256(key, "missing" and `own`, each after its length)."""
    return hashlib.shake_256(hmac.digest(key, join_parts("missing", own), "sha256")).digest(8 * words)


def _one_by_one(
    records: Records, rows: NDArray[np.int64], key_pairs: Sequence[bytes], schema: Schema, keys: Subkeys, *, run: bytes
) -> Signs:
    """Signs through the library's HMAC, token by token; zeros for a missing value."""
    signs = schema.layer_a.signs
    out = np.zeros((len(rows), len(schema.attributes), word_count(signs + MARK)), dtype=np.uint64)
    for index, attribute in enumerate(schema.attributes):
        column = column_of(records, attribute)
        wanted, value = np.unique(column.codes[rows], return_inverse=True)
        lists = tokenise([column.distinct[code] for code in wanted.tolist()], attribute, index).lists()
        asked = [(*tokens, whole(tokens), NO_TOKEN) if tokens else () for tokens in lists]
        pair_keys = keys.of_pairs(key_pairs, attribute.name, run=run)
        for start, jobs in _jobs(pair_keys, [asked[v] for v in value.tolist()], signs):
            drawn = streams(jobs, range(-(-signs // BLOCK)))
            at = 0
            for row, (_, tokens) in enumerate(jobs, start):
                if tokens:
                    out[row, index] = _signs(drawn[at : at + len(tokens)], signs)
                    at += len(tokens)
    return out


def _jobs(
    pair_keys: Sequence[bytes], tokens: Sequence[tuple[bytes, ...]], signs: int
) -> Iterator[tuple[int, list[Job]]]:
    """Keys and tokens to hash, some rows at a time, and the number of the first row."""
    step = max(1, CHUNK_BYTES // (signs * max(1, max(map(len, tokens), default=1))))
    for start in range(0, len(tokens), step):
        yield start, list(zip(pair_keys[start : start + step], tokens[start : start + step], strict=True))


def _signs(drawn: NDArray[np.uint8], signs: int) -> NDArray[np.uint64]:
    """The signs and the mark from the streams of a value's tokens, its whole set, and no token."""
    bits = np.unpackbits(drawn, axis=1, count=signs, bitorder="little")
    tokens, tie = bits[:-2], bits[-2]
    score = 2 * tokens.sum(axis=0, dtype=np.int64) + tie
    found = np.packbits(score > len(tokens), bitorder="little")
    return np.concatenate([found, drawn[-1, : MARK // 8]]).view("<u8").astype(np.uint64, copy=False)


def hidden_classes(classes: NDArray[np.uint8], shifts: NDArray[np.uint8], *, second: bool) -> NDArray[np.uint8]:
    """
    Classes as bytes that tell nothing but whether both owners' are those of equal values, and then what they are.

    Both halves of a byte are shifted by those of `shifts`, which equal values share. The first owner adds its class to
    the lower half, the second one to the upper half, modulo 16; classes above 7 count as 7.
    """
    kept = np.minimum(classes, MOST_CLASSES)
    lower, upper = shifts % _HALF, shifts // _HALF
    if second:
        upper = (upper + kept) % _HALF
    else:
        lower = (lower + kept) % _HALF
    return (lower + _HALF * upper).astype(np.uint8)


def class_shifts(
    signs: Signs, key_pairs: Sequence[bytes], names: Sequence[str], keys: Subkeys, *, run: bytes
) -> NDArray[np.uint8]:
    """For what is sent of each record and attribute a byte that equal values share: HMAC of "class" and the signs."""
    out = np.empty(signs.shape[:2], dtype=np.uint8)
    width = 8 * signs.shape[2]
    before = join_parts("class", bytes(width))[:-width]  # so that only what is sent is put behind it
    for index, name in enumerate(names):
        sent = wire(signs[:, index]).tobytes()
        pair_keys = keys.of_pairs(key_pairs, name, run=run)
        said = [before + sent[at : at + width] for at in range(0, len(sent), width)]
        out[:, index] = [hmac.digest(key, each, "sha256")[0] for key, each in zip(pair_keys, said, strict=True)]
    return out
