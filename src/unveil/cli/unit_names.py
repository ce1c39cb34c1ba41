"""Roles as they are written on the command line: a dash where their names have a blank."""

from __future__ import annotations

from enum import Enum

from unveil.protocol.roles import Role


def _with_dashes(role: Role) -> str:
    return role.value.replace(" ", "-")


class _Named(Enum):
    """A role by its name on the command line; members are called as those of `Role`."""

    @property
    def role(self) -> Role:
        """The role of that name."""
        return Role[self.name]


class UnitName(_Named):
    """A unit, as it is written on the command line."""

    RECORD_UNIT = _with_dashes(Role.RECORD_UNIT)
    ATTRIBUTE_UNIT = _with_dashes(Role.ATTRIBUTE_UNIT)
    REVIEW_UNIT = _with_dashes(Role.REVIEW_UNIT)


class RoleName(_Named):
    """Any role, as it is written on the command line."""

    OWNER = _with_dashes(Role.OWNER)
    RECORD_UNIT = _with_dashes(Role.RECORD_UNIT)
    ATTRIBUTE_UNIT = _with_dashes(Role.ATTRIBUTE_UNIT)
    REVIEW_UNIT = _with_dashes(Role.REVIEW_UNIT)
