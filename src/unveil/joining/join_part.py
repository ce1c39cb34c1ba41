"""
What one owner hands over so that link tables can be joined: a header in JSON, and the sealed pairs.

By itself it tells nobody anything. With the other owner's part, or with the research centre's private key, it gives the
pairs of link ids that belong together, and nothing else.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from unveil.joining.join_keys import SECRET, WRAPPED, unwrapped, whole
from unveil.joining.sealed_pairs import Pair, Place, part_sizes, table_rows, unseal
from unveil.joining.sealed_quality import unseal_quality
from unveil.joining.terms import OWNERS, RESEARCH_CENTRE
from unveil.linkage.estimate import Estimate
from unveil.protocol.messages import SEALED_QUALITY

MARK: Final = b"unveil-join-2\n"
LONGEST_HEADER: Final = 4096
_RUN: Final = 32
_TOGETHER: Final = 2
_FIELDS: Final = {
    "name": str, "project": str, "owner": str, "owners": list, "run": str, "join": str, "records": int,
    "one_to_one": bool, "key": str, "quality": str,
}  # fmt: skip


class JoinProblem(ValueError):
    """Parts that cannot be joined: why, and what to do about it."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


@dataclass(frozen=True, slots=True, repr=False)
class JoinPart:
    """One owner's part. `project` is the fingerprint, `key` a half of the key or the wrapped key."""

    name: str
    project: str
    owner: str
    owners: tuple[str, str]
    run: bytes
    records: int
    one_to_one: bool
    key: bytes
    quality: bytes
    sealed: bytes

    def __repr__(self) -> str:
        return f"JoinPart(of {self.owner}, <{len(self.sealed)} bytes>)"

    @property
    def place(self) -> Place:
        """What its pairs are sealed for."""
        return Place(self.project, self.run, self.owner)

    @property
    def join(self) -> str:
        """Who may join."""
        return OWNERS if len(self.key) == SECRET else RESEARCH_CENTRE

    def opened(self, secret: bytes) -> list[Pair] | None:
        """The pairs, under their key; None if it is not theirs."""
        return unseal(self.sealed, table_rows(self.records, one_to_one=self.one_to_one), secret, self.place)

    def opened_quality(self, secret: bytes) -> Estimate | None:
        """How good the links seem; None if nobody is told, JoinProblem if it was not sealed under this key."""
        try:
            return unseal_quality(self.quality, secret, self.place)
        except ValueError:
            raise JoinProblem("the parts do not open: one of them was changed, or is another's", _COPY) from None

    def to_bytes(self) -> bytes:
        """As a file holds it."""
        header = {
            "name": self.name, "project": self.project, "owner": self.owner, "owners": list(self.owners),
            "run": self.run.hex(), "join": self.join, "records": self.records, "one_to_one": self.one_to_one,
            "key": base64.b64encode(self.key).decode(), "quality": base64.b64encode(self.quality).decode(),
        }  # fmt: skip
        return MARK + json.dumps(header, sort_keys=True).encode() + b"\n" + self.sealed

    @classmethod
    def from_bytes(cls, data: bytes) -> JoinPart:
        """What a file holds; JoinProblem if it is anything else."""
        if not data.startswith(MARK):
            raise JoinProblem("is no part to join", "unveil owner results --join writes one")
        end = data.find(b"\n", len(MARK), len(MARK) + LONGEST_HEADER)
        try:
            header: Any = json.loads(data[len(MARK) : end]) if end > 0 else None
        except (ValueError, RecursionError):
            header = None
        if not isinstance(header, dict) or {name: type(value) for name, value in header.items()} != _FIELDS:
            raise JoinProblem("is damaged: its header cannot be read", _COPY)
        try:
            run = bytes.fromhex(header["run"])
            key, quality = (base64.b64decode(header[name], validate=True) for name in ("key", "quality"))
        except (ValueError, binascii.Error):
            raise JoinProblem("is damaged: its header cannot be read", _COPY) from None
        owners = header["owners"]
        sound = (
            len(run) == _RUN
            and len(quality) == SEALED_QUALITY
            and len(key) == {OWNERS: SECRET, RESEARCH_CENTRE: WRAPPED}.get(header["join"])
            and all(isinstance(one, str) for one in owners)
            and len(set(owners)) == len(owners) == _TOGETHER
            and header["owner"] in owners
        )
        if not sound:
            raise JoinProblem("is damaged: its header says what cannot be", _COPY)
        sealed, records = data[end + 1 :], header["records"]
        rows = table_rows(records, one_to_one=header["one_to_one"]) if records >= 0 else -1
        if rows < 0 or len(sealed) != sum(part_sizes(rows)):
            raise JoinProblem("is damaged: it is longer or shorter than it was", _COPY)
        return cls(
            header["name"], header["project"], header["owner"], (owners[0], owners[1]), run, records,
            header["one_to_one"], key, quality, sealed,
        )  # fmt: skip


_COPY: Final = "have it copied again by whoever handed it over"


@dataclass(frozen=True, slots=True, repr=False)
class Joined:
    """The pairs of link ids that belong together, and how good they seem; None if nobody is told that."""

    pairs: list[Pair]
    estimate: Estimate | None


def joined(parts: Sequence[JoinPart], private_key: bytes | None = None) -> Joined:
    """What these parts give: both owners', or any of them with the research centre's private key."""
    if not parts:
        raise JoinProblem("nothing to join")
    first = parts[0]
    for other in parts[1:]:
        if (other.project, other.run, other.owners) != (first.project, first.run, first.owners):
            raise JoinProblem("the parts are not of the same linkage", "every owner's part of one project is needed")
        if other.owner == first.owner:
            raise JoinProblem(f"both parts are {first.owner}'s", "the other owner's part is needed too")
    secret = _secret_of(parts, private_key)
    tables = [part.opened(secret) for part in parts]
    if any(table is None for table in tables):
        raise JoinProblem("the parts do not open: one of them was changed, or is another's", _COPY)
    estimates = [part.opened_quality(secret) for part in parts]
    if any(table != tables[0] for table in tables) or any(each != estimates[0] for each in estimates):
        raise JoinProblem("the owners' parts hold different pairs", "ask whoever runs the record unit")
    return Joined(tables[0] or [], estimates[0])


def _secret_of(parts: Sequence[JoinPart], private_key: bytes | None) -> bytes:
    first = parts[0]
    if first.join == OWNERS:
        if private_key is not None:
            raise JoinProblem("the owners join this linkage together, without a key of anybody's", "leave --key out")
        if len(parts) < _TOGETHER:
            missing = next(name for name in first.owners if name != first.owner)
            raise JoinProblem(
                f"the part of {missing} is missing, and one owner's alone opens nothing",
                f"{missing} makes it with unveil owner results --join",
            )
        return whole(parts[0].key, parts[1].key)
    if private_key is None:
        raise JoinProblem("this linkage is joined by a research centre", "give its private key: --key")
    secret = unwrapped(first.key, private_key, place=first.place.of_run())
    if secret is None:
        raise JoinProblem("the private key is not the one that the project names", "it is the key of public_key there")
    return secret
