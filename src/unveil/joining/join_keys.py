"""
The key to sealed pairs: divided between two owners, or wrapped for a research centre.

A half is random, and the other half is the key XOR that, so either alone is noise, whatever else its holder has.
For a research centre the key is wrapped as in ECIES: an X25519 key of its own for this one message, HKDF-SHA256,
AES-256-GCM.
"""

from __future__ import annotations

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from unveil.joining.terms import JOIN_KEY

SECRET: Final = 32  # bytes of the key to sealed pairs, and of a half of it
WRAPPED: Final = JOIN_KEY + SECRET + 16  # bytes of a wrapped key: a public key, what is sealed, its tag
_ONCE: Final = bytes(12)  # every key here seals once, so its nonce may be fixed


def halves(secret: bytes, random: bytes) -> tuple[bytes, bytes]:
    """Two halves of a key, of which neither tells anything; `random` is as long as the key, and used once."""
    return random, _xor(secret, random)


def whole(one: bytes, other: bytes) -> bytes:
    """The key whose halves these are."""
    return _xor(one, other)


def wrapped(secret: bytes, public_key: bytes, random: bytes, *, place: bytes) -> bytes:
    """The key for the holder of a private key; `random` makes the key that is used once."""
    once = X25519PrivateKey.from_private_bytes(random)
    shown = once.public_key().public_bytes_raw()
    shared = once.exchange(X25519PublicKey.from_public_bytes(public_key))
    return shown + AESGCM(_wrapping(shared, shown, public_key)).encrypt(_ONCE, secret, place)


def unwrapped(box: bytes, private_key: bytes, *, place: bytes) -> bytes | None:
    """The key that was wrapped for this private key and this place; None if it was not."""
    own = X25519PrivateKey.from_private_bytes(private_key)
    shown = box[:JOIN_KEY]
    try:
        shared = own.exchange(X25519PublicKey.from_public_bytes(shown))
        key = _wrapping(shared, shown, own.public_key().public_bytes_raw())
        return AESGCM(key).decrypt(_ONCE, box[JOIN_KEY:], place)
    except (InvalidTag, ValueError):  # ValueError: a public key that leads nowhere
        return None


def public_key_to(private_key: bytes) -> bytes:
    """The public key that belongs to a private one."""
    return X25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw()


def derived(secret: bytes, purpose: bytes) -> bytes:
    """A key of its own for each purpose: HKDF-SHA256."""
    return HKDF(SHA256(), 32, salt=None, info=purpose).derive(secret)


def _wrapping(shared: bytes, shown: bytes, public_key: bytes) -> bytes:
    return HKDF(SHA256(), 32, salt=None, info=b"unveil join wrap 1" + shown + public_key).derive(shared)


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
