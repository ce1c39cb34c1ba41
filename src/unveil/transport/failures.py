"""
Ways in which a call to a unit, or listening for calls, can fail, beside those that the unit itself names.

Unreachable and Busy, like TooEarly, mean: try again later. Refused, Rejected, Conflict, Closed, LogSetBack and
UnitSetBack need a person.
"""

from __future__ import annotations

from unveil.errors import ProtocolError, SettingError, UnveilError


class Unreachable(UnveilError):
    """No answer, or none that a unit would give; the message may or may not have arrived."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"{address} cannot be reached: {reason}")
        self.address, self.reason = address, reason


class Busy(UnveilError):
    """The unit has its hands full or cannot store anything now."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} is busy")
        self.address = address


class Refused(UnveilError):
    """The unit does not know this party, or does not allow it this."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"{address} refused",
            hint="the unit must have joined the project and know this certificate or token, and it must be in force",
        )
        self.address = address


class Rejected(ProtocolError):
    """The unit takes no such message; `problem` is what it says."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the message was not accepted: {problem or 'no reason given'}")
        self.problem = problem


class LogSetBack(UnveilError):
    """A unit knows entries of our own log that it does not hold: going on, we would repeat what we have forgotten."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"{address} knows of entries that are missing in this party's log: its database was restored from an older "
            "copy, or is another one; nothing was sent",
            hint="put the newest database back, or go on in the folder where the linkage began; if it is lost, all "
            "parties need a project of another name",
        )
        self.address = address


class UnitSetBack(UnveilError):
    """We know entries of a unit's log that it does not hold any more."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"the log of {address} was set back: it lacks entries that this party knows of; nothing is sent there",
            hint="ask whoever runs the unit to put its newest database back",
        )
        self.address = address


class CannotListen(SettingError):
    """A unit cannot listen on its host and port: another process does, or the host is not this machine."""

    def __init__(self, host: str, port: int, reason: str | None) -> None:
        super().__init__(f"cannot listen on {host}:{port}: {reason}")
