"""
Who may call what, as a table. Whatever is not in it is refused, and every refusal is the same.

Who may send messages to a unit, and whom it keeps mail for, follows from the table of flows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from unveil.protocol.flows import FLOWS
from unveil.protocol.roles import Role
from unveil.transport.port import OPERATOR, REVIEWER, Caller, is_name

Route = tuple[str, str]  # method and path
Callers = frozenset[str]

UNITS: Final = (Role.RECORD_UNIT, Role.ATTRIBUTE_UNIT, Role.REVIEW_UNIT)
PARTIES: Final[Callers] = frozenset(role.value for role in Role)
PEOPLE: Final[Callers] = frozenset({REVIEWER, OPERATOR})
ANYONE: Final[Callers] = frozenset({"anyone"})  # without a certificate or token

HEALTH: Final = ("GET", "/healthz")
METRICS: Final = ("GET", "/metrics")
DOCUMENT: Final = ("GET", "/openapi.json")
STATUS: Final = ("GET", "/v1/projects/{project}")
MESSAGE: Final = ("PUT", "/v1/projects/{project}/messages/{message_id}")
MAIL: Final = ("GET", "/v1/projects/{project}/mailbox")
ACKNOWLEDGE: Final = ("DELETE", "/v1/projects/{project}/mailbox/{message_id}")
TASKS: Final = ("GET", "/v1/projects/{project}/tasks")
CELLS: Final = ("POST", "/v1/projects/{project}/tasks/{task}/cells")
VERDICT: Final = ("PUT", "/v1/projects/{project}/tasks/{task}/verdict")


def _senders(recipient: Role) -> Callers:
    """The roles that may send this role anything at all."""
    return frozenset(sender.value for flows in FLOWS.values() for sender, to in flows if to is recipient)


def _writes_to_owners(unit: Role) -> bool:
    return any((unit, Role.OWNER) in flows for flows in FLOWS.values())


def _endpoints(unit: Role) -> Mapping[Route, Callers]:
    table: dict[Route, Callers] = {
        HEALTH: ANYONE,
        METRICS: frozenset({OPERATOR}),
        DOCUMENT: PARTIES | PEOPLE,
        STATUS: PARTIES | {OPERATOR},
        MESSAGE: _senders(unit),
    }
    if _writes_to_owners(unit):
        table |= {MAIL: frozenset({Role.OWNER.value}), ACKNOWLEDGE: frozenset({Role.OWNER.value})}
    if unit is Role.REVIEW_UNIT:
        table |= dict.fromkeys((TASKS, CELLS, VERDICT), frozenset({REVIEWER}))
    return MappingProxyType(table)


ENDPOINTS: Final[Mapping[Role, Mapping[Route, Callers]]] = MappingProxyType({unit: _endpoints(unit) for unit in UNITS})


@dataclass(frozen=True, slots=True)
class Found:
    """The endpoint that a request means, and the project it names ("" where it names none)."""

    route: Route
    project: str
    callers: Callers

    @property
    def is_open(self) -> bool:
        """Whether nobody needs to say who they are."""
        return self.callers is ANYONE

    def allows(self, caller: Caller | None) -> bool:
        """Whether this caller may use it."""
        return caller is not None and caller.role in self.callers


class Directory:
    """Finds the endpoint of a unit for a method and a path."""

    def __init__(self, unit: Role) -> None:
        self._entries = [(route, _pattern(route[1]), callers) for route, callers in ENDPOINTS[unit].items()]

    def find(self, method: str, path: str) -> Found | None:
        """The endpoint; None if there is none, or if the project's name cannot be one."""
        for route, pattern, callers in self._entries:
            if route[0] == method and (match := pattern.fullmatch(path)):
                project = match.groupdict().get("project", "")
                return Found(route, project, callers) if not project or is_name(project) else None
        return None


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)))
