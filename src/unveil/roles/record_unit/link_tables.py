"""
The result: for each owner link ids of its own, and which of them belong together, sealed for whoever may join them.

A link id is a keyed function of the owner and of its own record, under a secret that is drawn for the run and kept by
nobody. What an owner gets, and how much of it, so follows from its own upload and from chance: no register of anybody
else has a part in it.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from unveil.joining.join_keys import SECRET, halves, wrapped
from unveil.joining.sealed_pairs import Pair, Place, seal, table_rows
from unveil.joining.sealed_quality import seal_quality
from unveil.joining.terms import JOIN_KEY, OWNERS, JoinTerms
from unveil.linkage.bits import Bits
from unveil.linkage.clusters import SamePerson, one_person_each
from unveil.linkage.estimate import Estimate
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Pairs
from unveil.protocol.messages import ID, JoinTable, LinkTable, Message
from unveil.protocol.roles import Address
from unveil.roles.chance import Chance, Draw
from unveil.roles.columns import entries
from unveil.roles.record_unit.told_quality import told_quality
from unveil.roles.record_unit.upload import Upload

LINKS = 200_000  # entries of one part of a link table
_ALIKE = 0.1  # the share of links that are less alike than two records of one register must be to be one person's


def link_column(owner: Address, upload: Upload, secret: bytes) -> bytes:
    """A link id for every record of an owner, the same for records that are the same: HMAC-SHA256, the first half."""
    assert upload.handles is not None
    assert upload.first is not None
    domain = b"unveil link id 1" + len(owner.name).to_bytes(4, "big") + owner.name.encode()
    ids = [hmac.digest(secret, domain + handle, "sha256")[:ID] for handle in entries(upload.handles.column, ID)]
    return b"".join(ids[row] for row in upload.first.tolist())


def in_parts(upload: Upload, column: bytes) -> Iterator[LinkTable]:
    """The messages that bring an owner its link ids."""
    assert upload.handles is not None
    step = LINKS * ID
    parts = max(1, -(-len(column) // step))
    for part in range(parts):
        some = slice(part * step, (part + 1) * step)
        yield LinkTable(part, parts, upload.handles.column[some], column[some])


def linked_ids(
    pairs: Pairs, odds: Reals, uploads: Sequence[Upload], columns: Sequence[bytes], *, one_to_one: bool
) -> list[Pair]:
    """The link ids of these pairs, the likeliest first: of each person one, or as many as a table holds."""
    order = np.lexsort((pairs.right, pairs.left, -pairs.similarity, -odds))
    if one_to_one:
        alike = float(np.quantile(pairs.similarity, _ALIKE)) if len(pairs) else 1.0
        left, right = (_same_person(upload.kept().filters, alike) for upload in uploads)
        order = order[one_person_each(pairs.left[order], pairs.right[order], (left, right))]
    order = order[: table_rows(min(map(len, uploads)), one_to_one=one_to_one)]
    found = []
    for upload, column, side in zip(uploads, columns, (pairs.left, pairs.right), strict=True):
        assert upload.rows is not None
        ids = entries(column, ID)
        found.append([ids[row] for row in upload.rows[side[order]].tolist()])
    return list(zip(*found, strict=True))


def _same_person(filters: Bits, alike: float) -> SamePerson:
    """Two records of one register are of one person if their filters are as alike as those of most links."""

    def same(one: int, other: int) -> bool:
        words, ones = filters.words, filters.popcounts
        common = int(np.bitwise_count(words[one] & words[other]).sum())
        return 2 * common >= alike * int(ones[one] + ones[other])

    return same


def join_tables(
    linked: Sequence[Pair],
    estimate: Estimate | None,
    uploads: Mapping[Address, Upload],
    run: bytes,
    *,
    terms: JoinTerms,
    draw: Draw,
) -> Iterator[tuple[Address, JoinTable]]:
    """
    The messages that bring each owner the linked ids, sealed, and its half of the key, or the wrapped key.

    With them goes how good the links seem, sealed too.
    """
    secret = draw.entropy(SECRET)
    if terms.public_key is None:
        keys = halves(secret, draw.entropy(SECRET))
    else:
        of_run = Place(terms.project, run, "").of_run()
        keys = (wrapped(secret, terms.public_key, draw.entropy(JOIN_KEY), place=of_run),) * 2
    for key, (owner, upload) in zip(keys, uploads.items(), strict=True):
        rows = table_rows(len(upload), one_to_one=terms.one_to_one)
        place = Place(terms.project, run, owner.name)
        quality = seal_quality(estimate, secret, place)
        parts = seal(linked, rows, secret, place)
        for part, sealed in enumerate(parts):
            yield owner, JoinTable(part, len(parts), run, key, quality, sealed)


@dataclass(frozen=True, slots=True, repr=False)
class FoundLinks:
    """The pairs that are matches at the end, how likely each is one, and how good all of them seem, if that is told."""

    pairs: Pairs
    odds: Reals
    estimate: Estimate | None


class MakesTables(Protocol):
    """Makes the owners' link ids, and the messages that bring them, of what was matched."""

    def __call__(
        self, found: FoundLinks, uploads: Mapping[Address, Upload], run: bytes, *, terms: JoinTerms, chance: Chance
    ) -> tuple[bytes, list[tuple[Address, Message]]]:
        """Link ids one after the other, and messages."""
        ...


def results(
    found: FoundLinks, uploads: Mapping[Address, Upload], run: bytes, *, terms: JoinTerms, chance: Chance
) -> tuple[bytes, list[tuple[Address, Message]]]:
    """The owners' link ids, one after the other, and what brings them, with what is linked, to the owners."""
    draw = chance("link ids")
    secret = draw.entropy(SECRET)
    columns = {owner: link_column(owner, upload, secret) for owner, upload in uploads.items()}
    sides = (tuple(uploads.values()), tuple(columns.values()))
    linked = linked_ids(found.pairs, found.odds, *sides, one_to_one=terms.one_to_one)
    messages: list[tuple[Address, Message]] = []
    if terms.quality == OWNERS:  # first of all, so that an owner that has its links has this too
        told = told_quality(len(linked), found.estimate, chance("quality").coins)
        messages += [(owner, told) for owner in uploads]
    messages += [(owner, part) for owner, upload in uploads.items() for part in in_parts(upload, columns[owner])]
    messages += join_tables(linked, found.estimate, uploads, run, terms=terms, draw=draw)
    return b"".join(columns.values()), messages


def no_results(
    found: FoundLinks, uploads: Mapping[Address, Upload], run: bytes, *, terms: JoinTerms, chance: Chance
) -> tuple[bytes, list[tuple[Address, Message]]]:
    """Nothing: where one place holds all, nobody waits for link ids of their own."""
    del found, uploads, run, terms, chance
    return b"", []


def kept_tables(uploads: Mapping[Address, Upload], link_ids: bytes) -> dict[str, bytes]:
    """For each owner its handles and link ids, side by side; `link_ids` are the owners' one after the other."""
    tables, start = {}, 0
    for owner, upload in uploads.items():
        assert upload.handles is not None
        stop = start + ID * len(upload)
        columns = (entries(upload.handles.column, ID), entries(link_ids[start:stop], ID))
        tables[str(owner)] = b"".join(handle + link for handle, link in zip(*columns, strict=True))
        start = stop
    return tables
