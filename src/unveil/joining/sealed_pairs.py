"""
Pairs of link ids, sealed for one owner to carry.

There are as many rows as follow from the owner's own records, so that the number of links does not show; rows beyond
the links are zeros. Whoever opens them sees the links, in no order that means anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from unveil.joining.join_keys import derived

LINK_ID: Final = 16
ROW: Final = 2 * LINK_ID
ROWS: Final = 50_000  # of one part
TAG: Final = 16
MOST_EACH: Final = 4  # links for each record on average, where a record may have any number
MOST_ONE_TO_ONE: Final = 2  # where each person is linked once: of one that stands twice in both there are four

Pair = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Place:
    """What sealed pairs belong to: the project's fingerprint, the run (32 bytes), the owner that carries them."""

    project: str
    run: bytes
    owner: str

    def of_run(self) -> bytes:
        """Names project and run, so that nothing sealed for another is taken."""
        return b"unveil join 1" + _framed(self.project.encode()) + _framed(self.run)

    def of_part(self, part: int, parts: int) -> bytes:
        """Names the owner and the part, too."""
        return self.of_run() + _framed(self.owner.encode()) + part.to_bytes(4, "big") + parts.to_bytes(4, "big")


def table_rows(records: int, *, one_to_one: bool) -> int:
    """Rows of the table that an owner of so many records carries: links are never more."""
    return records * (MOST_ONE_TO_ONE if one_to_one else MOST_EACH)


def part_sizes(rows: int) -> list[int]:
    """Bytes of each part of a table of so many rows; there is always one."""
    full, rest = divmod(rows, ROWS)
    counts = [ROWS] * full + ([rest] if rest or not full else [])
    return [count * ROW + TAG for count in counts]


def seal(pairs: Sequence[Pair], rows: int, secret: bytes, place: Place) -> list[bytes]:
    """The parts of a table of so many rows; ValueError if there are more pairs than rows."""
    if len(pairs) > rows:
        raise ValueError(f"{len(pairs)} pairs in a table of {rows} rows")
    # Ids are drawn by lot, so in their order nothing shows of the order in which pairs were found.
    table = b"".join(one + other for one, other in sorted(pairs)).ljust(rows * ROW, b"\0")
    sizes = part_sizes(rows)
    box, step = _box(secret, place), ROWS * ROW
    return [
        box.encrypt(part.to_bytes(12, "big"), table[part * step : (part + 1) * step], place.of_part(part, len(sizes)))
        for part in range(len(sizes))
    ]


def unseal(sealed: bytes, rows: int, secret: bytes, place: Place) -> list[Pair] | None:
    """The pairs in a table of so many rows; None if it was not sealed like this."""
    sizes = part_sizes(rows)
    if len(sealed) != sum(sizes):
        return None
    box, table, start = _box(secret, place), b"", 0
    parts = []
    for part, size in enumerate(sizes):
        try:
            what = sealed[start : start + size]
            parts.append(box.decrypt(part.to_bytes(12, "big"), what, place.of_part(part, len(sizes))))
        except InvalidTag:
            return None
        start += size
    table = b"".join(parts)
    found = (table[at : at + ROW] for at in range(0, len(table), ROW))
    return [(row[:LINK_ID], row[LINK_ID:]) for row in found if any(row)]


def _box(secret: bytes, place: Place) -> AESGCM:
    # A key of its own for each owner's table: the parts' numbers are its nonces.
    return AESGCM(derived(secret, b"unveil join table 1" + place.owner.encode()))


def _framed(text: bytes) -> bytes:
    return len(text).to_bytes(4, "big") + text
