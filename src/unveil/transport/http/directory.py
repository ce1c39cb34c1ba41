"""The endpoints of one unit, and which of them a request means."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from unveil.protocol.roles import Role
from unveil.transport.http.access import Callers
from unveil.transport.http.endpoint import Endpoint
from unveil.transport.port import Caller, is_name


@dataclass(frozen=True, slots=True)
class Found:
    """The endpoint that a request means, who may call it here, and the project ("" where the path names none)."""

    endpoint: Endpoint
    callers: Callers
    project: str

    def allows(self, caller: Caller | None) -> bool:
        """Whether this caller may use it; None is somebody who was not recognised."""
        return self.endpoint.is_open or (caller is not None and caller.role in self.callers)


class Directory:
    """Those of the given endpoints that a unit has."""

    def __init__(self, unit: Role, endpoints: Iterable[Endpoint]) -> None:
        self.unit = unit
        self.endpoints = tuple(endpoint for endpoint in endpoints if unit in endpoint.callers)
        self._patterns = [(_pattern(endpoint.path), endpoint) for endpoint in self.endpoints]
        self._check()

    def find(self, method: str, path: str) -> Found | None:
        """The endpoint; None if there is none, or if the project's name cannot be one."""
        for pattern, endpoint in self._patterns:
            if endpoint.method == method and (match := pattern.fullmatch(path)):
                project = match.groupdict().get("project", "")
                if project and not is_name(project):
                    return None
                return Found(endpoint, endpoint.callers[self.unit], project)
        return None

    def _check(self) -> None:
        for one, other in itertools.combinations(self.endpoints, 2):
            if one.name == other.name:
                raise ValueError(f"the {self.unit.value} has two endpoints named {one.name}; rename one of them")
            if one.method == other.method and _overlap(one.path, other.path):
                # Their order would decide who may call.
                raise ValueError(
                    f"the {self.unit.value} has {one.title} and {other.title}, which a request could both mean; "
                    "change the path of one of them"
                )


def _overlap(one: str, other: str) -> bool:
    """Whether some path fits both templates."""
    pairs = list(itertools.zip_longest(one.split("/"), other.split("/"), fillvalue=""))
    return all(a == b or ("{" in a + b and a and b) for a, b in pairs)


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)))
