"""
Who there is to call a unit. Whoever is not named by an endpoint is refused, and every refusal is the same.

Who may send messages to a unit, and for whom it keeps a mailbox, follows from the table of flows.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from unveil.protocol.flows import FLOWS
from unveil.protocol.roles import UNITS, Role
from unveil.transport.port import OPERATOR, REVIEWER

Callers = frozenset[str]

PARTIES: Final[Callers] = frozenset(role.value for role in Role)
PEOPLE: Final[Callers] = frozenset({REVIEWER, OPERATOR})
ANYONE: Final[Callers] = frozenset({"anyone"})  # without a certificate or token


def at_every_unit(callers: Callers) -> Mapping[Role, Callers]:
    """The same callers at each of the three units."""
    return MappingProxyType(dict.fromkeys(UNITS, callers))


def _senders(recipient: Role) -> Callers:
    """The roles that may send this role anything at all."""
    return frozenset(sender.value for flows in FLOWS.values() for sender, to in flows if to is recipient)


def _writes_to_owners(unit: Role) -> bool:
    return any((unit, Role.OWNER) in flows for flows in FLOWS.values())


#: Of each unit, who may send it messages.
SENDERS: Final[Mapping[Role, Callers]] = MappingProxyType({unit: _senders(unit) for unit in UNITS})

#: Of each unit that writes to owners, for whom it keeps a mailbox.
MAILBOX_OWNERS: Final[Mapping[Role, Callers]] = MappingProxyType(
    {unit: frozenset({Role.OWNER.value}) for unit in UNITS if _writes_to_owners(unit)}
)
