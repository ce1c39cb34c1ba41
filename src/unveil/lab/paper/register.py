"""
Reading snapshots of a voter register in its own layout.

Files of this kind hold millions of rows, so only some voters are kept: those whose id hashes lowest under the seed. A
voter is either kept with every entry that any snapshot holds or not at all, in whichever order the files are read, and
memory is bounded. Rows are read one line at a time: a stray quote costs its own row and not the rest of the file.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from unveil.errors import InputError, SettingError
from unveil.files.source import opened

#: Our attributes, and the names under which the register may hold them.
COLUMNS: Final = {
    "first_name": ("first_name",),
    "middle_name": ("midl_name", "middle_name"),
    "last_name": ("last_name",),
    "city": ("res_city_desc",),
    "zip": ("zip_code",),
    "place_of_birth": ("birth_place", "birth_state"),
}
_AGE: Final = ("age",)
_VOTER: Final = ("ncid", "voter_reg_num")
_SNAPSHOT: Final = ("snapshot_dt", "snapshot_date")
_DATE: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_]?(\d\d)[-_]?(\d\d)(?!\d)")
_YEARS: Final = range(1, 120)  # ages that can be a person's
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_SLACK: Final = 5  # voters are dropped when there are a fifth too many, not at every row

Values = tuple[str, ...]


@dataclass(slots=True, repr=False)
class VoterEntry:
    """What a voter's entry says, in the order of COLUMNS; the year of birth; first and last snapshot that hold it."""

    values: Values
    year: int
    first: str
    last: str


@dataclass(slots=True, repr=False)
class Register:
    """The voters that were kept, by hash of their id, each with its distinct entries, the latest first."""

    voters: dict[bytes, list[VoterEntry]] = field(default_factory=dict)
    newest: str = ""
    rows: int = 0
    left_out: int = 0  # rows without names or age, or broken ones
    dropped: bool = False  # whether voters were dropped to bound memory

    def __repr__(self) -> str:
        return f"Register(<{len(self.voters)} voters>)"


def read_registers(paths: Sequence[Path], *, dates: Sequence[str], seed: int, most: int) -> Register:
    """The register in these snapshots, with at most `most` voters. `dates` gives each file's date, or is empty."""
    if dates and len(dates) != len(paths):
        raise SettingError(f"{len(dates)} dates for {len(paths)} files", hint="give --date once for each --register")
    if most < 1:
        raise SettingError("--voters must be at least 1")
    register = Register()
    keep = _Keep(register, seed, most)
    for place, path in enumerate(paths):
        given = _date(dates[place]) if dates else ""
        if dates and not given:
            raise SettingError(f"date {place + 1} is not a date", hint="write it as 2021-01-01")
        _read(path, given, keep)
    if not register.voters:
        raise InputError(paths[0], "no row can be used", hint="rows need a first and last name, an age and a voter id")
    keep.shrink()
    register.newest = max(entry.last for entries in register.voters.values() for entry in entries)
    for entries in register.voters.values():
        entries.sort(key=lambda entry: (entry.last, entry.values), reverse=True)
    return register


class _Keep:
    """Takes rows and keeps the voters with the lowest hashes."""

    def __init__(self, register: Register, seed: int, most: int) -> None:
        self.register, self._most = register, most
        self._salt = f"unveil register|{seed}|".encode()
        self._bound = b"\xff" * 16

    def row(self, voter: str, values: Values, year: int, date: str) -> None:
        """An entry of a voter in a snapshot."""
        key = hashlib.blake2b(self._salt + voter.encode(), digest_size=16).digest()
        if key > self._bound:
            return
        entries = self.register.voters.setdefault(key, [])
        for entry in entries:
            if entry.values == values:
                # Ages jitter by a year; the latest snapshot decides, so the order of the files does not.
                if (date, -year) > (entry.last, -entry.year):
                    entry.year = year
                entry.first, entry.last = min(entry.first, date), max(entry.last, date)
                return
        entries.append(VoterEntry(values, year, date, date))
        if len(self.register.voters) > self._most + self._most // _SLACK:
            self.shrink()

    def shrink(self) -> None:
        """Drop the voters with the highest hashes; the bound only falls, so nobody comes back with half an entry."""
        voters = self.register.voters
        if len(voters) > self._most:
            order = sorted(voters)
            self._bound = order[self._most - 1]
            self.register.dropped = True
            for key in order[self._most :]:
                del voters[key]


def _read(path: Path, given: str, keep: _Keep) -> None:
    with opened(path) as handle:
        lines = _lines(handle)
        header = next(lines, "")
        delimiter = "\t" if "\t" in header else ","
        names = [name.strip().lower() for name in _cells(header, delimiter)]
        at = {name: _place(path, names, among) for name, among in COLUMNS.items()}
        age, voter = _place(path, names, _AGE), _place(path, names, _VOTER)
        dated = next((names.index(name) for name in _SNAPSHOT if name in names), None)
        named = given or _date(path.name)
        if dated is None and not named:
            hint = "give --date once for each file, or put the date into the file's name"
            raise InputError(path, f"has no column {_SNAPSHOT[0]}, so its date is not known", hint=hint)
        places = list(at.values())
        for line in lines:
            cells = _cells(line, delimiter)
            keep.register.rows += 1
            date = given or (_date(cells[dated]) if dated is not None and len(cells) == len(names) else "") or named
            year = _year(cells, len(names), age, date)
            if year is None or not cells[voter].strip():
                keep.register.left_out += 1
                continue
            values = tuple(sys.intern(cells[place].strip()) for place in places)
            if values[0] and values[2]:
                keep.row(cells[voter].strip(), values, year, date)
            else:
                keep.register.left_out += 1


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _place(path: Path, names: Sequence[str], among: Sequence[str]) -> int:
    found = next((name for name in among if name in names), None)
    if found is None:
        hint = "the first line must name the register's columns, separated by tabs or commas"
        raise InputError(path, f"needed column missing: {' or '.join(among)}", hint=hint)
    return names.index(found)


def _year(cells: Sequence[str], width: int, age: int, date: str) -> int | None:
    """Year of the snapshot minus age; None if the row is broken or the age is nobody's."""
    if len(cells) != width or not date or not cells[age].strip().isdecimal():
        return None
    years = int(cells[age])
    return int(date[:4]) - years if years in _YEARS else None


def _date(text: str) -> str:
    """The date in a text as YYYY-MM-DD; empty if there is none."""
    found = _DATE.search(text)
    return "-".join(found.groups()) if found else ""


def _lines(handle: BinaryIO) -> Iterator[str]:
    """The lines of a file in UTF-8, or UTF-16 with its mark; a line that is no UTF-8 is read as Latin-1."""
    mark = handle.read(2)
    handle.seek(0)
    if mark in _UTF16:
        wide = io.TextIOWrapper(handle, "utf-16", errors="replace", newline="\n")
        try:
            yield from (line.rstrip("\r\n") for line in wide)
        finally:
            wide.detach()  # whoever opened the file closes it
        return
    for number, raw in enumerate(handle):
        line = raw.rstrip(b"\r\n").replace(b"\0", b"")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            text = line.decode("latin-1")
        if text or not number:
            yield text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}") if not number else text
