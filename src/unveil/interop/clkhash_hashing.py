"""
From tokens to positions as clkhash does it, under keys that follow from the parties' secret.

HKDF over the secret gives two keys for each feature of the schema, ignored ones included. blakeHash reads the digest of
keyed BLAKE2b as 32 little-endian numbers of 16 bits, one digest after the other with the salts "0", "1", …;
doubleHash goes (a + i·b) mod l, where a is the HMAC-SHA1 of the token and b its HMAC-MD5.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence

import numpy as np
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from numpy.typing import NDArray

from unveil.interop.clkhash_schema import BlakeHash, ClkhashSchema, DoubleHash, HashedFeature

#: The keys of one feature.
Keys = tuple[bytes, bytes]

_PER_DIGEST = 32
_ALGORITHMS: dict[str, type[hashes.SHA256 | hashes.SHA512]] = {"SHA256": hashes.SHA256, "SHA512": hashes.SHA512}


def derived_keys(schema: ClkhashSchema, secret: bytes) -> list[Keys]:
    """The keys of every feature, in the order of the schema."""
    kdf = schema.config.kdf
    salt, info = (None if text is None else base64.b64decode(text) for text in (kdf.salt, kdf.info))
    size = kdf.key_size
    whole = HKDF(
        algorithm=_ALGORITHMS[kdf.hash](), length=2 * size * len(schema.features), salt=salt, info=info
    ).derive(secret)
    starts = range(0, len(whole), 2 * size)
    return [(whole[at : at + size], whole[at + size : at + 2 * size]) for at in starts]


def secret_fingerprint(schema: ClkhashSchema, secret: bytes) -> str:
    """
    A short hash that is the same for two parties if and only if schema and secret are.

    Secrets of clkhash are often words that people thought up, so that this hash is slow on purpose: whoever sees it
    must not try out a dictionary.
    """
    salt = b"unveil clkhash fingerprint 1" + schema.fingerprint().encode()
    return Scrypt(salt=salt, length=16, n=1 << 15, r=8, p=1).derive(secret).hex()


def token_positions(
    tokens: Sequence[bytes], feature: HashedFeature, keys: Keys, *, m: int, count: int
) -> NDArray[np.int64]:
    """For every token its first `count` positions in a filter of m bits, with replacement."""
    match feature.hashing.hash:
        case BlakeHash():
            return _blake(tokens, keys[0], m=m, count=count)
        case DoubleHash() as how:
            return _double(tokens, keys, m=m, count=count, singular=not how.prevent_singularity)


def _blake(tokens: Sequence[bytes], key: bytes, *, m: int, count: int) -> NDArray[np.int64]:
    salts = [str(block).encode() for block in range(-(-count // _PER_DIGEST))]
    digests = b"".join(hashlib.blake2b(token, key=key, salt=salt).digest() for token in tokens for salt in salts)
    numbers = np.frombuffer(digests, "<u2").reshape(len(tokens), -1)[:, :count]
    return numbers.astype(np.int64) % m


def _double(tokens: Sequence[bytes], keys: Keys, *, m: int, count: int, singular: bool) -> NDArray[np.int64]:
    first = [int.from_bytes(hmac.digest(keys[0], token, "sha1")) % m for token in tokens]
    step = [_step(token, keys[1], m, singular=singular) for token in tokens]
    places = np.arange(count, dtype=np.int64)
    return (np.array(first, np.int64)[:, None] + np.array(step, np.int64)[:, None] * places) % m


def _step(token: bytes, key: bytes, m: int, *, singular: bool) -> int:
    """How far it is from one position to the next: 0 puts all of them in one place, unless that is prevented."""
    found = int.from_bytes(hmac.digest(key, token, "md5")) % m
    again = 0
    while not (found or singular or m == 1):
        found = int.from_bytes(hmac.digest(key, token + chr(again).encode(), "md5")) % m
        again += 1
    return found
