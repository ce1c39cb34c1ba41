"""Roles of the protocol and the addresses of the parties that play them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Role(Enum):
    """A part that a party plays."""

    OWNER = "owner"
    RECORD_UNIT = "record unit"
    ATTRIBUTE_UNIT = "attribute unit"
    REVIEW_UNIT = "review unit"

    @property
    def slug(self) -> str:
        """The role as it is written on command lines and in names of files, such as "record-unit"."""
        return self.value.replace(" ", "-")

    @classmethod
    def of_slug(cls, slug: str) -> Role:
        """The role with that slug; ValueError if there is none."""
        for role in cls:
            if role.slug == slug:
                return role
        raise ValueError(f"no role {slug}: {', '.join(role.slug for role in cls)}")


#: The roles that are played once in a project and listen for the others.
UNITS: Final = (Role.RECORD_UNIT, Role.ATTRIBUTE_UNIT, Role.REVIEW_UNIT)


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A party: its role and, where several play the same role, its name."""

    role_name: str
    name: str = ""

    @property
    def role(self) -> Role:
        """The role that this party plays."""
        return Role(self.role_name)

    def __str__(self) -> str:
        return f"{self.role_name} {self.name}".strip()


def owner(name: str) -> Address:
    """The address of an owner."""
    return Address(Role.OWNER.value, name)


RECORD_UNIT = Address(Role.RECORD_UNIT.value)
ATTRIBUTE_UNIT = Address(Role.ATTRIBUTE_UNIT.value)
REVIEW_UNIT = Address(Role.REVIEW_UNIT.value)


def address_of(text: str) -> Address:
    """The address that was written as this text."""
    role, _, name = text.partition(" ") if text.startswith(f"{Role.OWNER.value} ") else (text, "", "")
    return Address(Role(role).value, name)
