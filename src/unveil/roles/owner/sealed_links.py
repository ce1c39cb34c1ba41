"""What the owner carries for whoever may join the link tables: sealed, and of a size that its own records decide."""

from __future__ import annotations

from unveil.joining.join_keys import SECRET, WRAPPED
from unveil.joining.join_part import JoinPart
from unveil.joining.sealed_pairs import part_sizes, table_rows
from unveil.joining.terms import JoinTerms
from unveil.protocol.flows import Envelope, refused
from unveil.protocol.messages import JoinTable


class SealedLinks:
    """Parts of the sealed table until all are there; `records` are those that the owner has sent."""

    def __init__(self, records: int, terms: JoinTerms) -> None:
        self._records, self._terms = records, terms
        self._sizes = part_sizes(table_rows(records, one_to_one=terms.one_to_one))
        self._parts: dict[int, JoinTable] = {}

    @property
    def begun(self) -> bool:
        """Whether any part has come."""
        return bool(self._parts)

    @property
    def complete(self) -> bool:
        """Whether every part has come."""
        return len(self._parts) == len(self._sizes)

    def check(self, envelope: Envelope, message: JoinTable) -> None:
        """Refuse what is of another size than the owner's own records lead to: it could tell of the other's."""
        if message.parts != len(self._sizes) or len(message.sealed) != self._sizes[message.part]:
            raise refused(envelope, "not as long as this owner's records make it")
        if len(message.key) != (SECRET if self._terms.public_key is None else WRAPPED):
            raise refused(envelope, "not for those who may join, as the project file says")
        if message.part in self._parts:
            raise refused(envelope, "a second table to join")
        whole = (message.run, message.key, message.quality)
        if any(whole != (other.run, other.key, other.quality) for other in self._parts.values()):
            raise refused(envelope, "a part of another table to join")

    def add(self, message: JoinTable) -> None:
        """Take in a part."""
        self._parts[message.part] = message

    def part(self, name: str, owner: str, owners: tuple[str, str]) -> JoinPart:
        """What the owner may hand over, once all of it is there."""
        first = self._parts[0]
        return JoinPart(
            name=name,
            project=self._terms.project,
            owner=owner,
            owners=owners,
            run=first.run,
            records=self._records,
            one_to_one=self._terms.one_to_one,
            key=first.key,
            quality=first.quality,
            sealed=b"".join(self._parts[number].sealed for number in range(len(self._sizes))),
        )
