"""Owners' parts and a research centre's key as files, and the pairs that come of them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from unveil.errors import InputError, KeyFileError, SettingError
from unveil.files import private_file
from unveil.files.atomic import replacing
from unveil.joining.join_keys import public_key_to
from unveil.joining.join_part import JoinPart, JoinProblem, joined
from unveil.joining.sealed_pairs import Pair
from unveil.joining.terms import JOIN_KEY, public_key_of, public_key_text
from unveil.linkage.estimate import Estimate

MARK: Final = "unveil-join-key-1"
_LONGEST_KEY: Final = 1024
_LONGEST_PART: Final = 8 << 30  # bytes; of ten million records with four rows each there are 1.3 GB
_KEY_HINT: Final = "unveil join key makes one"
_KEPT: Final = "whoever loses a private key can join nothing that was sealed for it, so none is replaced"


@dataclass(frozen=True, slots=True, repr=False)
class JoinedLinks:
    """The pairs of link ids, between which owners, and how good they seem, if that is told."""

    name: str
    owners: tuple[str, str]
    pairs: tuple[Pair, ...]
    estimate: Estimate | None


def write_part(path: Path, part: JoinPart, *, overwrite: bool) -> None:
    """Write an owner's part; the file is the owner's alone, and appears whole or not at all."""
    with replacing(path, overwrite=overwrite) as temporary:
        temporary.touch(mode=0o600)
        temporary.chmod(0o600)
        temporary.write_bytes(part.to_bytes())


def join_files(paths: Sequence[Path], key: Path | None) -> JoinedLinks:
    """The pairs in owners' parts; errors name the file that is at fault."""
    parts = [_part(path) for path in paths]
    secret = None if key is None else read_key(key)
    try:
        found = joined(parts, secret)
    except JoinProblem as problem:
        raise SettingError(f"{', '.join(map(str, paths))}: {problem}", hint=problem.hint) from None
    return JoinedLinks(parts[0].name, parts[0].owners, tuple(found.pairs), found.estimate)


def _part(path: Path) -> JoinPart:
    try:
        if path.stat().st_size > _LONGEST_PART:
            raise InputError(path, f"has more than {_LONGEST_PART >> 30} GB")
        return JoinPart.from_bytes(path.read_bytes())
    except OSError as problem:
        raise InputError(path, f"cannot be read: {problem.strerror}") from None
    except JoinProblem as problem:
        raise InputError(path, str(problem), hint=problem.hint) from None


def new_key(path: Path) -> str:
    """Make a private key file, and return the public key as a project file names it."""
    secret = secrets.token_bytes(JOIN_KEY)
    text = f"{MARK}\n{public_key_text(secret)}\n"  # the same spelling, which says nothing about what it spells
    private_file.write_new(path, text.encode("ascii"), error=KeyFileError, why_kept=_KEPT)
    return public_key_text(public_key_to(secret))


def read_key(path: Path) -> bytes:
    """The private key in a file; one that others can read, or that is no such file, is refused."""
    lines = private_file.read(path, longest=_LONGEST_KEY, error=KeyFileError, hint=_KEY_HINT).split()
    if len(lines) != 2 or lines[0] != MARK.encode():  # noqa: PLR2004 - the mark and the key
        raise KeyFileError(f"{path}: is not a key for joining", hint=_KEY_HINT)
    try:
        return public_key_of(lines[1].decode("ascii", "replace"))
    except ValueError:
        raise KeyFileError(f"{path}: the key is damaged", hint="restore it from a copy") from None
