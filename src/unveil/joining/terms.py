"""Who may join the link tables of a project, and whether people stand once in each: settings of the project file."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from unveil.settings.base import Settings
from unveil.settings.choices import Choice, OneOf

OWNERS: Final = "owners"
RESEARCH_CENTRE: Final = "research-centre"
WHO_JOINS: Final[dict[str, Choice]] = {
    OWNERS: Choice(sentence="the owners together: each gets one half of the key, and neither half opens anything"),
    RESEARCH_CENTRE: Choice(sentence="whoever holds the private key to public_key; owners hand over what is sealed"),
}
JOINING: Final = "joining"
NOBODY: Final = "nobody"
WHO_IS_TOLD: Final[dict[str, Choice]] = {
    OWNERS: Choice(sentence="each owner, blurred so that no one person shows; and whoever joins, exactly"),
    JOINING: Choice(sentence="whoever joins, exactly, with the pairs; no owner alone"),
    NOBODY: Choice(sentence="nobody but the operator of the record unit"),
}
JOIN_KEY: Final = 32  # bytes of a public or private key of X25519


class LinkSettings(Settings):
    """What owners get at the end, and who may join it."""

    join: Annotated[str, OneOf(WHO_JOINS)] = Field(
        OWNERS, description="who may join the owners' link tables, which tell nothing one by one"
    )
    public_key: str | None = Field(
        None, description="of the research centre, as unveil join key prints it; for it alone"
    )
    quality: Annotated[str, OneOf(WHO_IS_TOLD)] = Field(
        OWNERS, description="who is told how many links there are and how good they seem"
    )
    one_to_one: bool = Field(
        True,
        description="link each person once, the likeliest pairs first; records of one owner count as one person's if "
        "they are the same or as alike as linked ones are",
    )


@dataclass(frozen=True, slots=True)
class JoinTerms:
    """What the parties agreed on, as machines need it; `project` is the fingerprint of the project file."""

    project: str = ""
    public_key: bytes | None = None  # of the research centre; None: the owners join together
    one_to_one: bool = True
    quality: str = OWNERS  # who is told how good the links seem

    @classmethod
    def of(cls, settings: LinkSettings, project: str) -> JoinTerms:
        """The terms in these settings."""
        key = None if settings.public_key is None else public_key_of(settings.public_key)
        return cls(project, key, settings.one_to_one, settings.quality)


#: The owners join together, in no project: as simulations do.
BY_OWNERS: Final = JoinTerms()


def public_key_text(key: bytes) -> str:
    """A public key as a project file holds it."""
    return base64.urlsafe_b64encode(key).decode().rstrip("=")


def public_key_of(text: str) -> bytes:
    """The public key in that text; ValueError if it is none."""
    try:
        key = base64.b64decode(text.encode("ascii") + b"=", altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError, ValueError):
        raise ValueError("not a public key") from None
    if len(key) != JOIN_KEY or public_key_text(key) != text:
        raise ValueError("not a public key")
    return key
