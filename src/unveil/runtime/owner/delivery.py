"""An owner's worker: it also remembers which unit did not take a message, and why."""

from __future__ import annotations

from dataclasses import dataclass, field

from unveil.errors import UnveilError
from unveil.runtime.worker import Worker
from unveil.transport.failures import Rejected


@dataclass
class OwnerWorker(Worker):
    """Decides and delivers for an owner; `not_taken` holds by unit why it takes no message."""

    not_taken: dict[str, UnveilError] = field(default_factory=dict)

    def _report(self, recipient: str, message_id: str, error: UnveilError) -> None:
        self.not_taken[recipient] = error
        super()._report(recipient, message_id, error)


def reason(error: UnveilError) -> str:
    """Why a unit does not take a message, for people: what it says, or else the kind of refusal."""
    return (error.problem if isinstance(error, Rejected) else "") or type(error).__name__
