"""The result as it comes in: parts of the link table, until there is a link id for each record."""

from __future__ import annotations

import numpy as np

from unveil.protocol.flows import Envelope, refused
from unveil.protocol.messages import ID, LinkTable
from unveil.roles.handles import Handles


class Links:
    """`ids` is one 16-byte link id per record, in the order of the records; empty until every part has come."""

    def __init__(self) -> None:
        self.ids: list[bytes] = []
        self._parts: dict[int, LinkTable] = {}

    @property
    def begun(self) -> bool:
        """Whether any part has come: the linkage is over."""
        return bool(self.ids or self._parts)

    def check(self, envelope: Envelope, message: LinkTable, handles: Handles | None) -> None:
        """Refuse parts that do not belong to one table about this owner's records."""
        if handles is None:
            raise refused(envelope, "links for records that were never sent")
        if self.ids or message.part in self._parts:
            raise refused(envelope, "a second link table")
        if any(message.parts != other.parts for other in self._parts.values()):
            raise refused(envelope, "the number of parts has changed")
        rows = handles.rows(message.handles)
        seen = [handles.rows(other.handles) for other in self._parts.values()]
        together = np.concatenate([rows, *seen])
        last = len(self._parts) + 1 == message.parts
        if (rows < 0).any() or len(np.unique(together)) != len(together) or (last and len(together) != len(handles)):
            raise refused(envelope, "not a link id for each record")

    def add(self, message: LinkTable, handles: Handles) -> None:
        """Take in a part."""
        self._parts[message.part] = message
        if len(self._parts) < message.parts:
            return
        rows = handles.rows(b"".join(self._parts[part].handles for part in range(message.parts)))
        column = b"".join(self._parts[part].link_ids for part in range(message.parts))
        ordered = np.frombuffer(column, np.uint8).reshape(-1, ID)[np.argsort(rows)].tobytes()
        self.ids = [ordered[start : start + ID] for start in range(0, len(ordered), ID)]
        self._parts.clear()
