"""
The owner's secret and the keys derived from it.

Every derived key is HKDF-SHA256 (RFC 5869) of key_do with the salt "unveil/1", 32 bytes long, where `info` is a list of
parts, each preceded by its length in eight bytes (big endian). So ("ab", "c") and ("a", "bc") give different keys. A
part that varies follows its tag: "project", the project; "layer", one of R, A, blocking, hardening, fingerprint, lot;
then, where they apply, "pair", key_pair and "attribute", the name, or other tags of the layer.

Keys of pairs are bound: between "project" and "layer" stand "agreed", the fingerprint of the project file, and "run",
which follows from both owners' uploads. So a key_pair that was used once is worthless in another run and under another
project file: it leads to other keys. What neither is given for, a simulation above all, has keys without these parts.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from unveil.errors import KeyFileError, SettingError
from unveil.protocol.messages import OWNER_KEY

KeyPurpose = Literal["R", "A", "blocking", "hardening", "fingerprint", "lot"]
SHORTEST_KEY = 16
_SALT = b"unveil/1"


@dataclass(frozen=True, slots=True, repr=False)
class OwnerKey:
    """key_do: shared by the owners, known to nobody else. Never leaves the owner."""

    secret: bytes

    def __post_init__(self) -> None:
        if len(self.secret) < SHORTEST_KEY:
            raise KeyFileError(
                f"the owner key has {len(self.secret)} bytes, fewer than {SHORTEST_KEY}",
                hint="make a new key; a short one can be guessed",
            )

    @classmethod
    def generate(cls, rng_bytes: Callable[[int], bytes] = secrets.token_bytes) -> OwnerKey:
        """A fresh key of random bytes."""
        return cls(rng_bytes(OWNER_KEY))

    def __repr__(self) -> str:
        return "OwnerKey(<redacted>)"


def join_parts(*parts: str | bytes) -> bytes:
    """The parts (text as UTF-8) one after another, each preceded by its length: no two lists give the same bytes."""
    raw = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(8, "big") + part for part in raw)


def extract(secret: bytes) -> bytes:
    """HKDF's pseudorandom key PRK = HMAC(salt, secret)."""
    return hmac.digest(_SALT, secret, "sha256")


def expand(prk: bytes, *parts: str | bytes) -> bytes:
    """HKDF's first output block T(1) = HMAC(PRK, info ‖ 0x01), which is all of a 32-byte key."""
    return hmac.digest(prk, join_parts(*parts) + b"\x01", "sha256")


def derive(secret: bytes, *parts: str | bytes) -> bytes:
    """The key for these parts: HKDF-SHA256 with length-prefixed parts as `info`."""
    return expand(extract(secret), *parts)


class Subkeys:
    """All keys of one project, derived from one owner key."""

    __slots__ = ("_agreed", "_prk", "_project")

    def __init__(self, key: OwnerKey, project: str, *, agreed: str = "") -> None:
        if not project:
            raise SettingError("the project has no name", hint="keys of different projects must differ")
        self._prk = extract(key.secret)
        self._project, self._agreed = project, agreed

    def __repr__(self) -> str:
        return "Subkeys(<redacted>)"

    def of(self, layer: KeyPurpose, **tagged: str | bytes) -> bytes:
        """The key of that layer and these tagged parts, in the order given."""
        parts = [part for pair in tagged.items() for part in pair]
        return expand(self._prk, "project", self._project, "layer", layer, *parts)

    def of_pairs(self, key_pairs: Sequence[bytes], attribute: str, *, run: bytes = b"") -> list[bytes]:
        """The key of layer A for every pair: `of("A", pair=key_pair, attribute=attribute)`, bound, in one sweep."""
        prk, head, tail = self.around_pair(attribute, run=run)
        digest = hmac.digest
        # As `join_parts` joins them.
        infos = (head + len(key_pair).to_bytes(8, "big") + key_pair + tail for key_pair in key_pairs)
        return [digest(prk, info, "sha256") for info in infos]

    def around_pair(self, attribute: str, *, run: bytes = b"") -> tuple[bytes, bytes, bytes]:
        """(PRK, head, tail): the key of a pair is HMAC(PRK, head ‖ join_parts(key_pair) ‖ tail). To be kept secret."""
        bound = ("agreed", self._agreed, "run", run) if self._agreed or run else ()
        head = join_parts("project", self._project, *bound, "layer", "A", "pair")
        return self._prk, head, join_parts("attribute", attribute) + b"\x01"
