"""
The result as it comes in: link ids, until there is one for each record, what is sealed for whoever may join, and how
good the links seem, where owners may know.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from unveil.joining.sealed_quality import estimate_of
from unveil.joining.terms import OWNERS, JoinTerms
from unveil.linkage.estimate import Estimate
from unveil.protocol.flows import Envelope, refused
from unveil.protocol.messages import ID, JoinTable, LinkQuality, LinkTable
from unveil.roles.handles import Handles
from unveil.roles.owner.sealed_links import SealedLinks

Result: TypeAlias = LinkTable | JoinTable | LinkQuality


def told_estimate(message: LinkQuality) -> Estimate | None:
    """The figures in what owners are told; None if there are none, ValueError if they cannot be."""
    return estimate_of(message.figures, trusted=bool(message.trusted)) if message.figures else None


class Links:
    """`ids` is one 16-byte link id per record, in the order of the records; empty until every part has come."""

    def __init__(self, records: int, terms: JoinTerms) -> None:
        self.ids: list[bytes] = []
        self.sealed = SealedLinks(records, terms)
        self.quality: LinkQuality | None = None
        self._told = terms.quality == OWNERS
        self._parts: dict[int, LinkTable] = {}

    @property
    def begun(self) -> bool:
        """Whether any part has come: the linkage is over."""
        return bool(self.ids or self._parts) or self.quality is not None or self.sealed.begun

    @property
    def complete(self) -> bool:
        """Whether all has come that the record unit sends at the end."""
        return bool(self.ids) and self.sealed.complete and (self.quality is not None or not self._told)

    def check(self, envelope: Envelope, message: Result, handles: Handles | None) -> None:
        """Refuse parts that do not belong to one table about this owner's records, and what owners are not to know."""
        if handles is None:
            raise refused(envelope, "links for records that were never sent")
        if isinstance(message, JoinTable):
            self.sealed.check(envelope, message)
            return
        if isinstance(message, LinkQuality):
            self._check_quality(envelope, message)
            return
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

    def _check_quality(self, envelope: Envelope, message: LinkQuality) -> None:
        if not self._told:
            raise refused(envelope, "owners are not to know this, as the project file says")
        if self.quality is not None:
            raise refused(envelope, "a second word on the quality of the links")
        try:
            told_estimate(message)
        except ValueError as error:
            raise refused(envelope, str(error)) from None

    def add(self, message: Result, handles: Handles) -> None:
        """Take in a part."""
        if isinstance(message, JoinTable):
            self.sealed.add(message)
            return
        if isinstance(message, LinkQuality):
            self.quality = message
            return
        self._parts[message.part] = message
        if len(self._parts) < message.parts:
            return
        rows = handles.rows(b"".join(self._parts[part].handles for part in range(message.parts)))
        column = b"".join(self._parts[part].link_ids for part in range(message.parts))
        ordered = np.frombuffer(column, np.uint8).reshape(-1, ID)[np.argsort(rows)].tobytes()
        self.ids = [ordered[start : start + ID] for start in range(0, len(ordered), ID)]
        self._parts.clear()
