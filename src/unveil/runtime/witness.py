"""What a party knows of its own log and of another's: see `storage.log.witness`."""

from __future__ import annotations

from dataclasses import dataclass

from unveil.storage.log.log import ProjectLog


@dataclass(frozen=True, slots=True)
class LogWitness:
    """A party's log beside what it noted of another party."""

    log: ProjectLog
    other: str

    def head(self) -> bytes:
        """The head of the party's own log."""
        return self.log.head[1]

    def holds(self, head: bytes) -> bool:
        """Whether the party's own log holds that head."""
        return self.log.holds(head)

    def noted(self) -> bytes | None:
        """The head of the other's log that was noted last."""
        return self.log.noted(self.other)
