"""What names a run: the uploads that were compared."""

from __future__ import annotations

import hashlib


def run_of(uploads: bytes) -> bytes:
    """The run that keys of pairs and sealed links are bound to: SHA-256 of the ids of its uploads, in rising order."""
    return hashlib.sha256(b"unveil run 1" + uploads).digest()
