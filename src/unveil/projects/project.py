"""
A project: what is linked, by whom, and how much of it at most.

Every party holds the same project file. Whoever's certificate has a public key that is listed here is that party;
everybody else is a stranger. Parties compare `Project.fingerprint` by telephone before they begin.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import json
import re
from collections import Counter
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import Field

from unveil.joining.terms import LinkSettings
from unveil.protocol.codec import VERSION
from unveil.protocol.roles import UNITS, Address, Role
from unveil.schema import Schema
from unveil.settings.base import Settings
from unveil.settings.choices import OneOf
from unveil.settings.patterns import NAME, NO_NAME_OR, PUBLIC_KEY

FEWEST_OWNERS: Final = 2

_HOST: Final = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\Z")
_GROUP: Final = 4
_FINGERPRINT_BYTES: Final = 20


class Party(Settings):
    """One party: the part it plays, and the public key of its certificate."""

    role: Annotated[str, OneOf({role.value: role for role in Role})] = Field(description="the part it plays")
    name: str = Field("", pattern=NO_NAME_OR, description="name; owners need one, units may have one")
    address: str | None = Field(
        None, description="https://host:port where a unit listens; owners have none, for they open no port"
    )
    public_key: str = Field(
        pattern=PUBLIC_KEY, description="SHA-256 of the public key in its certificate, see unveil pki show"
    )

    server_key: str | None = Field(
        None,
        pattern=PUBLIC_KEY,
        description="public key of the certificate that a unit listens with, if that is another one",
    )

    @property
    def party(self) -> Address:
        """The address that messages carry. A unit needs no name there: a project has one of each."""
        return Address(self.role, self.name if self.role == Role.OWNER.value else "")


class ProjectLimits(Settings):
    """How much a unit takes at most, so that no party can flood it."""

    records_per_owner: int = Field(10_000_000, ge=1, le=1 << 31, description="records that one owner may upload")
    message_bytes: int = Field(16 << 20, ge=64 << 10, le=1 << 30, description="bytes of one message")
    copies: int = Field(10, ge=1, description="times that one owner may upload the same filter")
    near_copies: float = Field(
        0.5, ge=0, le=1, description="share of an upload that may resemble another record of it; 1 allows any"
    )


class ReviewOpinions(Settings):
    """Of which pairs two reviewers decide, each without knowing the other; a lead decides where they differ."""

    second_opinions: float = Field(0.0, ge=0, le=1, description="share of the pairs, drawn by lot; 0: none")
    second_below: float = Field(
        0.5, ge=0.5, le=1, description="and every pair whose first label is less sure than this; 0.5: none"
    )


class Project(Settings):
    """A project, as all of its parties agreed on it; perhaps without some parties yet (`missing`)."""

    name: str = Field(pattern=NAME, description="name of the project; encodings of two projects never match")
    protocol: int = Field(VERSION, description="version of the protocol")
    limits: ProjectLimits = ProjectLimits()
    links: LinkSettings = LinkSettings()
    reviews: ReviewOpinions = ReviewOpinions()
    parties: tuple[Party, ...] = Field((), description="one table per party")
    # Pydantic's models have a method `schema`, so the attribute goes by another name than the key in the file.
    linkage: Schema = Field(alias="schema", description="the linkage schema")

    def party(self, public_key: str) -> Address | None:
        """Who holds this public key; None for strangers. If units share it (`shared_keys`), the first of them."""
        return next(iter(self.parties_of(public_key)), None)

    def parties_of(self, public_key: str) -> tuple[Address, ...]:
        """Everybody who holds this public key: one party at most, unless this is a demonstration."""
        return tuple(each.party for each in self.parties if each.public_key == public_key)

    def public_key(self, party: Address) -> str | None:
        """The public key of a party; None if it is not in the project."""
        return next((each.public_key for each in self.parties if each.party == party), None)

    def address(self, role: Role | str) -> str:
        """The https address of a unit; KeyError while it has not joined, and for owners, who have none."""
        wanted = Role(role).value
        found = [each.address for each in self.parties if each.role == wanted and each.address is not None]
        if not found:
            raise KeyError(wanted)
        return found[0]

    def server_key(self, role: Role | str) -> str:
        """The public key that a unit shows to callers."""
        wanted = Role(role).value
        return next(each.server_key or each.public_key for each in self.parties if each.role == wanted)

    def owners(self) -> tuple[Address, ...]:
        """The owners, by name."""
        return tuple(sorted(each.party for each in self.parties if each.role == Role.OWNER.value))

    def shared_keys(self) -> dict[str, tuple[Address, ...]]:
        """Public keys that more than one party holds, with these parties: empty outside demonstrations."""
        counts = Counter(each.public_key for each in self.parties)
        return {key: self.parties_of(key) for key, count in counts.items() if count > 1}

    def missing(self) -> tuple[str, ...]:
        """Who has yet to join before the project can begin."""
        roles = {each.role for each in self.parties}
        owners = max(0, FEWEST_OWNERS - len(self.owners()))
        return (*(role.value for role in UNITS if role.value not in roles), *["owner"] * owners)

    def fingerprint(self) -> str:
        """
        A hash that all parties can compare by telephone: eight groups of four letters and digits, 160 bits.

        base32(SHA-256(JSON of name, protocol, limits, links, reviews, parties, schema fingerprint)[:20]). Neither the
        order of the parties nor the names of columns, which are each owner's own affair, change it.
        """
        agreed = self.model_dump(mode="json", exclude={"linkage": True, "parties": True})
        if self.reviews == ReviewOpinions():  # as in projects that were agreed on before there were second opinions
            del agreed["reviews"]
        agreed["parties"] = sorted(json.dumps(_agreed(each), sort_keys=True) for each in self.parties)
        agreed["schema"] = self.linkage.fingerprint()
        digest = hashlib.sha256(json.dumps(agreed, sort_keys=True).encode()).digest()
        text = base64.b32encode(digest[:_FINGERPRINT_BYTES]).decode().lower()
        return "-".join(text[start : start + _GROUP] for start in range(0, len(text), _GROUP))


def _agreed(party: Party) -> dict[str, Any]:
    """A party as the fingerprint takes it; a key to listen with only where there is one."""
    return party.model_dump(mode="json", exclude=None if party.server_key else {"server_key"})


def is_address(text: str) -> bool:
    """Whether this is an https address of a host and perhaps a port, and nothing beyond."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    # Put together again it must be what it was: no user, path, query, capital letters, blanks or odd spellings.
    bracketed = f"[{host}]" if ":" in host else host
    return is_host(host) and port != 0 and text == f"https://{bracketed}" + (f":{port}" if port is not None else "")


def is_host(host: str) -> bool:
    """Whether this is the name of a host, in small letters, or a numeric address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        # A name made of digits and dots alone is a misspelt numeric address.
        return bool(_HOST.match(host)) and not re.fullmatch(r"[0-9.]+", host)
    return True
