"""Roles as they are written on the command line: a dash where their names have a blank."""

from __future__ import annotations

from enum import Enum

from unveil.protocol.roles import Role


class _Named(Enum):
    """A role by its name on the command line; members are called as those of `Role`."""

    @property
    def role(self) -> Role:
        """The role of that name."""
        return Role[self.name]


class UnitName(_Named):
    """A unit, as it is written on the command line."""

    RECORD_UNIT = Role.RECORD_UNIT.slug
    ATTRIBUTE_UNIT = Role.ATTRIBUTE_UNIT.slug
    REVIEW_UNIT = Role.REVIEW_UNIT.slug


class RoleName(_Named):
    """Any role, as it is written on the command line."""

    OWNER = Role.OWNER.slug
    RECORD_UNIT = Role.RECORD_UNIT.slug
    ATTRIBUTE_UNIT = Role.ATTRIBUTE_UNIT.slug
    REVIEW_UNIT = Role.REVIEW_UNIT.slug
