"""The result: a link id for every record, the same for records that are linked, directly or through others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unveil.linkage.clusters import components
from unveil.linkage.pairs import Rows
from unveil.protocol.messages import ID, LinkTable
from unveil.protocol.roles import Address
from unveil.roles.chance import Draw
from unveil.roles.columns import entries
from unveil.roles.record_unit.upload import Upload

LINKS = 200_000  # entries of one part of a link table


def link_columns(uploads: Sequence[Upload], left: Rows, right: Rows, draw: Draw) -> list[bytes]:
    """For each of two owners a link id for every record; `left` and `right` are the linked rows that were compared."""
    kept = [upload.rows if upload.rows is not None else np.empty(0, np.int64) for upload in uploads]
    rows = [of_owner[linked].astype(np.int32) for of_owner, linked in zip(kept, (left, right), strict=True)]
    numbers = components(rows[0], rows[1], (len(uploads[0]), len(uploads[1])))
    count = 1 + max((int(part.max()) for part in numbers if len(part)), default=-1)
    ids = np.frombuffer(draw.entropy(ID * count), np.uint8).reshape(-1, ID)
    return [ids[part].tobytes() for part in numbers]


def in_parts(upload: Upload, column: bytes) -> Iterator[LinkTable]:
    """The messages that bring an owner its link ids."""
    assert upload.handles is not None
    step = LINKS * ID
    parts = max(1, -(-len(column) // step))
    for part in range(parts):
        some = slice(part * step, (part + 1) * step)
        yield LinkTable(part, parts, upload.handles.column[some], column[some])


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
