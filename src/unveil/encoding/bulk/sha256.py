"""
SHA-256 (FIPS 180-4) and HMAC (RFC 2104) as kernels, for many messages at once.

Hashing is done here because a keyed filter needs some eighty HMACs of a few bytes each, and a call of a library, with
its objects, costs more than the hash itself and keeps all but one core waiting. The results are the library's, bit for
bit; single values (keys, fingerprints, small batches) go through the library.

The messages go side by side in lanes: word i of lane l stands at i * LANES + l, so that each step of the hash is one
simple loop over the lanes, which the compiler turns into vector instructions. That alone is worth a factor of seven.

Keys and states lie in arrays that live as long as the call; none is logged or part of an error. No branch and no memory
access depends on a key or a message, only on lengths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bulk.compiled import compiled, shared
from unveil.errors import SettingError

Words = NDArray[np.uint32]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

LANES = 32
BLOCK_BYTES = 64
DIGEST_BYTES = 32
_HISTORY = (64 + 4) * LANES
_INNER, _OUTER = np.uint32(0x36363636), np.uint32(0x5C5C5C5C)
_END = np.uint32(0x80000000)  # a one bit ends every message
_MASK = (1 << 32) - 1
u32 = np.uint32


def _cube_root(n: int) -> int:
    root = round(n ** (1 / 3))
    while root**3 > n:
        root -= 1
    while (root + 1) ** 3 <= n:
        root += 1
    return root


_PRIMES = list(islice((n for n in count(2) if all(n % d for d in range(2, math.isqrt(n) + 1))), 64))
#: The first 32 bits of the fractions of the primes' square and cube roots, as the standard defines them.
_INITIAL: Words = np.array([math.isqrt(prime << 64) & _MASK for prime in _PRIMES[:8]], dtype=np.uint32)
_ROUND: Words = np.array([_cube_root(prime << 96) & _MASK for prime in _PRIMES], dtype=np.uint32)


@compiled
def scratch() -> tuple[Words, Words]:
    """Arrays for a thread's own use: w, whose first 16 words hold the blocks to hash, and v, the working variables."""
    return np.empty(64 * LANES, np.uint32), np.empty(2 * _HISTORY, np.uint32)


@compiled
def copy(target: Words, source: Words) -> None:
    """Put the source at the beginning of the target. A loop compiles in a tenth of the time of an assignment."""
    for i in range(len(source)):
        target[i] = source[i]


@compiled
def _rotated(x: np.uint32, n: int) -> np.uint32:
    return u32((x >> u32(n)) | (x << u32(32 - n)))


@compiled
def compress(state: Words, w: Words, v: Words) -> None:
    """
    Take the block in the first 16 words of w into the state, in every lane.

    Of the eight working variables each round computes two, a and e; the others are their values of the three rounds
    before. So a and e are kept for all rounds, and nothing is moved.
    """
    a, e = v[:_HISTORY], v[_HISTORY:]
    for i in range(16 * LANES, 64 * LANES):
        x, y = w[i - 15 * LANES], w[i - 2 * LANES]
        s0 = _rotated(x, 7) ^ _rotated(x, 18) ^ (x >> u32(3))
        s1 = _rotated(y, 17) ^ _rotated(y, 19) ^ (y >> u32(10))
        w[i] = u32(w[i - 16 * LANES] + s0 + w[i - 7 * LANES] + s1)
    for i in range(4):
        for lane in range(LANES):
            a[i * LANES + lane] = state[(3 - i) * LANES + lane]
            e[i * LANES + lane] = state[(7 - i) * LANES + lane]
    for number in range(64):
        constant = _ROUND[number]
        for i in range(number * LANES, (number + 1) * LANES):
            x, b, c = a[i + 3 * LANES], a[i + 2 * LANES], a[i + LANES]
            y, f, g = e[i + 3 * LANES], e[i + 2 * LANES], e[i + LANES]
            s1 = _rotated(y, 6) ^ _rotated(y, 11) ^ _rotated(y, 25)
            s0 = _rotated(x, 2) ^ _rotated(x, 13) ^ _rotated(x, 22)
            t1 = u32(e[i] + s1 + ((y & f) ^ (~y & g)) + constant + w[i])
            e[i + 4 * LANES] = u32(a[i] + t1)
            a[i + 4 * LANES] = u32(t1 + s0 + ((x & b) ^ (x & c) ^ (b & c)))
    for i in range(4):
        for lane in range(LANES):
            state[i * LANES + lane] = u32(state[i * LANES + lane] + a[(67 - i) * LANES + lane])
            state[(4 + i) * LANES + lane] = u32(state[(4 + i) * LANES + lane] + e[(67 - i) * LANES + lane])


@compiled
def _load(w: Words, lane: int, message: Bytes, block: int, before: int) -> None:
    """Put this block of the padded message into a lane of w; `before` bytes were hashed ahead of the message."""
    n = len(message)
    for i in range(16):
        word = u32(0)
        for at in range(block * BLOCK_BYTES + 4 * i, block * BLOCK_BYTES + 4 * i + 4):
            byte = message[at] if at < n else (0x80 if at == n else 0)
            word = u32((word << u32(8)) | u32(byte))
        w[i * LANES + lane] = word
    if block == _blocks(n) - 1:
        bits = (before + n) * 8
        w[14 * LANES + lane], w[15 * LANES + lane] = u32(bits >> 32), u32(bits & _MASK)


@compiled
def _blocks(n: int) -> int:
    """Blocks that hold n bytes, the end bit and the length in eight bytes."""
    return (n + 8) // BLOCK_BYTES + 1


@compiled
def absorb(state: Words, messages: Bytes, bounds: Ints, before: int, w: Words, v: Words) -> None:
    """Take message l, messages[bounds[l]:bounds[l + 1]], and its padding into lane l; `before` is a multiple of 64."""
    n, longest = len(bounds) - 1, 0
    for lane in range(n):
        longest = max(longest, bounds[lane + 1] - bounds[lane])
    earlier = np.empty(8 * LANES, np.uint32)
    for block in range(_blocks(longest)):
        copy(earlier, state)
        for lane in range(n):
            if block < _blocks(bounds[lane + 1] - bounds[lane]):
                _load(w, lane, messages[bounds[lane] : bounds[lane + 1]], block, before)
        compress(state, w, v)
        for lane in range(n):
            if block >= _blocks(bounds[lane + 1] - bounds[lane]):  # this one was finished before
                for i in range(8):
                    state[i * LANES + lane] = earlier[i * LANES + lane]


@compiled
def key_states(keys: Words, inner: Words, outer: Words, w: Words, v: Words) -> None:
    """Set the states that HMAC starts from under each lane's key of 16 words, shorter keys filled up with zeros."""
    for state, pad in ((inner, _INNER), (outer, _OUTER)):
        for i in range(8 * LANES):
            state[i] = _INITIAL[i // LANES]
        for i in range(16 * LANES):
            w[i] = keys[i] ^ pad
        compress(state, w, v)


@compiled
def close(digest: Words, outer: Words, w: Words, v: Words) -> None:
    """HMAC's second half: hash the inner digests from the outer states; `digest` holds the ones, then the others."""
    copy(w, digest)
    for lane in range(LANES):
        w[8 * LANES + lane] = _END
        w[15 * LANES + lane] = u32((BLOCK_BYTES + DIGEST_BYTES) * 8)
    for i in range(9 * LANES, 15 * LANES):
        w[i] = u32(0)
    copy(digest, outer)
    compress(digest, w, v)


@compiled
def joined(text: Bytes, bounds: Ints, pieces: Ints) -> tuple[Bytes, Ints]:
    """Messages one after another, and where each begins; message i is made of the texts that pieces[i] lists."""
    starts = np.empty(len(pieces) + 1, np.int64)
    starts[0] = 0
    for i in range(len(pieces)):
        starts[i + 1] = starts[i]
        for piece in pieces[i]:
            starts[i + 1] += bounds[piece + 1] - bounds[piece]
    out = np.empty(starts[len(pieces)], np.uint8)
    at = 0
    for i in range(len(pieces)):
        for piece in pieces[i]:
            for byte in range(bounds[piece], bounds[piece + 1]):
                out[at] = text[byte]
                at += 1
    return out, starts


@compiled
def _macs(start: int, stop: int, key: Words, text: Bytes, bounds: Ints, pieces: Ints, out: Bytes) -> None:
    w, v = scratch()
    inner, outer = np.empty(8 * LANES, np.uint32), np.empty(8 * LANES, np.uint32)
    digest = np.empty(8 * LANES, np.uint32)
    key_states(key, inner, outer, w, v)
    for first in range(start, stop, LANES):
        n = min(LANES, stop - first)
        messages, starts = joined(text, bounds, pieces[first : first + n])
        copy(digest, inner)
        absorb(digest, messages, starts, BLOCK_BYTES, w, v)
        close(digest, outer, w, v)
        for lane in range(n):
            for i in range(out.shape[1]):
                out[first + lane, i] = digest[i // 4 * LANES + lane] >> u32(24 - 8 * (i % 4)) & u32(255)


def one_key(key: bytes) -> Words:
    """The same key of at most 64 bytes in every lane, as the 16 words that HMAC pads it to."""
    if len(key) > BLOCK_BYTES:  # longer ones would be hashed first; the keys of this room have 32 bytes
        raise SettingError(f"a key has {len(key)} bytes, more than {BLOCK_BYTES}")
    return np.repeat(np.frombuffer(key.ljust(BLOCK_BYTES, b"\0"), dtype=">u4").astype(np.uint32), LANES)


def flat(texts: Sequence[bytes]) -> tuple[Bytes, Ints]:
    """The texts one after another, and where each begins (and the last one ends)."""
    bounds = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=bounds[1:])
    return np.frombuffer(b"".join(texts), dtype=np.uint8), bounds


def hmac_all(key: bytes, texts: Sequence[bytes], pieces: Ints, *, size: int = DIGEST_BYTES) -> Bytes:
    """HMAC-SHA256 of every message under this key, cut to `size` bytes; pieces[i] lists the texts of message i."""
    out = np.empty((len(pieces), size), dtype=np.uint8)
    shared(_macs, len(pieces), one_key(key), *flat(texts), pieces, out)
    return out
