"""From one format to another: encodings to encodings, links to links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from unveil.errors import InputError, SettingError
from unveil.files.encoded import Encodings, holds_encodings, read_encodings
from unveil.files.read import read_column
from unveil.interop.encoding_files import Told, read_foreign, write_foreign
from unveil.interop.formats import FORMATS, format_named, found_format
from unveil.interop.link_files import read_foreign_links, write_foreign_links
from unveil.interop.links import LinkedSide
from unveil.interop.origins import ORIGINS, UNVEIL
from unveil.settings.mistakes import near

_NAMES: Final = ("a", "b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """
    What is to be converted, and what the file itself does not say.

    `source` and `target` are names of formats; None is found from the file. `rows` are the files whose rows a result
    counts, `names` what both sides are called.
    """

    path: Path
    out: Path
    source: str | None = None
    target: str
    told: Told
    rows: tuple[Path | None, Path | None] = (None, None)
    names: tuple[str | None, str | None] = (None, None)
    id_column: str | None = None
    other: Path | None = None
    threshold: float = 0.8


@dataclass(frozen=True, slots=True)
class Converted:
    """What came of it: from and to which format, how many encodings or links, and what people should know."""

    source: str
    target: str
    holds: str
    count: int
    m: int | None = None
    origin: str | None = None
    notes: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)


def convert(asked: Conversion, *, now: datetime, fresh: Callable[[], str], overwrite: bool) -> Converted:
    """Read one file and write the other; `fresh` gives ids that nothing follows from, `now` is written beside them."""
    target = format_named(asked.target)
    if not target.writes:
        raise SettingError(f"{asked.target} is read, and not written", hint="unveil formats lists what is written")
    name = asked.source or found_format(asked.path)
    source = format_named(name)
    if not source.reads:
        raise SettingError(f"{name} is written, and not read", hint="unveil formats lists what is read")
    if source.holds != target.holds:
        raise SettingError(
            f"{name} holds {source.holds}, and {asked.target} holds {target.holds}",
            hint="unveil link makes links of two files of encodings",
        )
    if source.holds == "links":
        return _links(asked, name, fresh=fresh, overwrite=overwrite)
    return _encodings(asked, name, now=now, overwrite=overwrite)


def _encodings(asked: Conversion, name: str, *, now: datetime, overwrite: bool) -> Converted:
    origin = asked.told.origin
    if origin is not None and origin not in ORIGINS:
        raise SettingError(
            f"no origin {origin[:40]} is known{near(origin, ORIGINS)}", hint=f"one of {', '.join(ORIGINS)}"
        )
    if name == UNVEIL and origin is not None:
        raise SettingError("--origin: our own files say it themselves", hint="leave it out")
    file, notes = read_foreign(asked.path, name, asked.told, now=now)
    if (asked.target == "ul-mds-match") != (asked.other is not None):
        raise SettingError(
            "ul-mds-match asks for two files", hint="--with names the second one, and nothing else takes it"
        )
    other = None
    if asked.other is not None:
        other, _ = read_foreign(asked.other, found_format(asked.other), asked.told, now=now)
        check_same_kind(file, other)
    headers = write_foreign(
        asked.out, asked.target, file, asked.told, other=other, threshold=asked.threshold,
        source=asked.names[0] or _NAMES[0], overwrite=overwrite,
    )  # fmt: skip
    meant = FORMATS[asked.target].origin
    if asked.target != UNVEIL and meant != file.origin:
        said = f"made by {file.origin}, and the file does not say so: whoever reads it back says --origin {file.origin}"
        notes = (*notes, said)
    return Converted(name, asked.target, "encodings", len(file), file.m, file.origin, notes, headers)


def check_same_kind(one: Encodings, other: Encodings) -> None:
    """SettingError for encodings of two tools, or of two lengths."""
    if one.origin != other.origin or one.m != other.m:
        raise SettingError(
            "the two files hold encodings of different tools, or of different length",
            hint="encode both with the same tool, schema and secret",
        )


def _links(asked: Conversion, name: str, *, fresh: Callable[[], str], overwrite: bool) -> Converted:
    if (asked.names[0] is None) != (asked.names[1] is None):
        raise SettingError("one side is named, and the other is not", hint="--name-a and --name-b")
    named = asked.names[0] is not None
    ids = [None if path is None else _ids_in(path, asked.id_column) for path in asked.rows]
    sides = tuple(LinkedSide(given or usual, some) for given, usual, some in zip(asked.names, _NAMES, ids, strict=True))
    pair = sides[0], sides[1]
    links = read_foreign_links(asked.path, name, pair, named=named, id_column=asked.id_column)
    write_foreign_links(asked.out, asked.target, links, pair, fresh=fresh, overwrite=overwrite)
    return Converted(name, asked.target, "links", len(links), notes=links.notes)


def _ids_in(path: Path, column: str | None) -> Sequence[str]:
    """The ids of the rows of a file that was linked: of encodings, or of records."""
    if holds_encodings(path):
        return read_encodings(path).ids
    ids = read_column(path, column or "record_id")
    if len(set(ids)) != len(ids):
        raise InputError(path, "has the same record id twice", column=column or "record_id")
    return ids


def listed() -> Iterator[tuple[str, str, str, str]]:
    """Of every format its name, what it holds, whether it is read and written, and what it is."""
    for name, one in FORMATS.items():
        ways = " and ".join(way for way, is_so in (("read", one.reads), ("written", one.writes)) if is_so)
        yield name, one.holds, ways, one.sentence
