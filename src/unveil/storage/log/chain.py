"""
The hash chain over a log. Pure: bytes in, bytes out.

Every entry's hash covers the hash before it, so an auditor who noted one hash can check all that came earlier. What a
hash covers is never a content itself but a commitment to it, SHA-256(nonce ‖ content) with a random nonce that is
stored beside the content and erased with it: the plain hash of a short value, a surname say, could be looked up long
after the value was erased.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

NONCE_BYTES: Final = 32
_GENESIS: Final = b"unveil-log-1"
_ENTRY: Final = b"unveil-entry-1"


def new_nonce() -> bytes:
    """32 random bytes from the operating system, for one commitment."""
    return secrets.token_bytes(NONCE_BYTES)


def commitment(nonce: bytes, content: bytes) -> bytes:
    """
    SHA-256(nonce ‖ content).

    The nonce has a fixed length, so no other split of the same bytes commits to the same.
    """
    if len(nonce) != NONCE_BYTES:
        raise ValueError(f"a nonce has {NONCE_BYTES} bytes, not {len(nonce)}")
    hasher = hashlib.sha256(nonce)
    hasher.update(content)  # not nonce + content: contents may be large, and this copies nothing
    return hasher.digest()


def opens(commit: bytes, nonce: bytes, content: bytes) -> bool:
    """Whether the nonce and the content are what was committed to."""
    return len(nonce) == NONCE_BYTES and hmac.compare_digest(commit, commitment(nonce, content))


def digest(fields: Iterable[bytes]) -> bytes:
    """SHA-256 over len(f) ‖ f for every field f, lengths as 8 bytes, so that fields cannot run into each other."""
    hasher = hashlib.sha256()
    for field in fields:
        hasher.update(struct.pack(">Q", len(field)))
        hasher.update(field)
    return hasher.digest()


def genesis(role: str, identity: str, project: str) -> bytes:
    """The hash before a log's first entry; another project's chain cannot be put in its place."""
    return digest([_GENESIS, role.encode(), identity.encode(), project.encode()])


@dataclass(frozen=True, slots=True)
class Link:
    """What one entry commits to."""

    seq: int
    kind: str
    sender: str
    message_id: str
    time: float
    arrived: bytes  # commitment to what came in
    stored: bytes  # commitment to what was stored of it
    stub: bytes  # commitment to what stays after an erasure
    #: Digest of what came with the entry (messages sent, entries erased, or what a closed project keeps), and of which
    #: messages were delivered since the entry before, if any were.
    attached: bytes

    def after(self, previous: bytes) -> bytes:
        """This entry's hash: digest(tag, previous, every field)."""
        return digest([
            _ENTRY, previous, struct.pack(">q", self.seq), self.kind.encode(), self.sender.encode(),
            self.message_id.encode(), struct.pack(">d", self.time), self.arrived, self.stored, self.stub, self.attached,
        ])  # fmt: skip


def attached_messages(messages: Iterable[tuple[int, str, str, bytes]]) -> bytes:
    """The digest of messages sent with an entry, each as (position, recipient, message id, commitment)."""
    return digest(
        field
        for position, recipient, message_id, commit in messages
        for field in (struct.pack(">q", position), recipient.encode(), message_id.encode(), commit)
    )


def with_deliveries(attached: bytes, positions: Sequence[int]) -> bytes:
    """
    What is attached to an entry, together with the positions of the messages delivered since the entry before.

    Without deliveries it is what it was: so the entries of earlier releases, which covered none, stay valid.
    """
    if not positions:
        return attached
    return digest([b"delivered", attached, *(struct.pack(">q", position) for position in sorted(positions))])


def attached_erasures(seqs: Sequence[int]) -> bytes:
    """The digest of the entries that an erasure erased, in ascending order."""
    return digest([b"erased", *(struct.pack(">q", seq) for seq in sorted(seqs))])


def attached_keeps(keeps: Iterable[tuple[str, bytes]], waiting: Iterable[int]) -> bytes:
    """
    The digest of what a closed project keeps and of what it never sent.

    What it keeps as (name, commitment), in the order of the names; then the positions of messages not delivered.
    """
    kept = digest(field for name, commit in sorted(keeps) for field in (name.encode(), commit))
    return digest([b"kept", kept, *(struct.pack(">q", position) for position in sorted(waiting))])
