"""
What CODI's data owners and its linkage agent hand each other.

A data owner's zip holds `output/<schema>.json` for each linkage schema, all of them `{"clks": […]}` over the same rows,
and `output/metadata-<time>.json`. The linkage agent's table has a LINK_ID for each person and, in a column for each
site, the row of the person's record there, counted from 0; who is known to one site alone has a row, too.
"""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final

from unveil.errors import InputError, SettingError
from unveil.files.open_table import open_table
from unveil.files.parquet_pages import UnpackedSize
from unveil.files.source import opened
from unveil.interop.clk_files import ReadFilters, clks_in
from unveil.interop.json_text import LONGEST, NotJson, parsed_json
from unveil.interop.links import ForeignLinks, LinkedSide, groups_of
from unveil.interop.result_columns import columns_of

LINK_ID: Final = "LINK_ID"

_MOST_MEMBERS: Final = 1000
_METADATA: Final = "metadata"
_PIECE: Final = 1 << 20


def read_codi(path: Path, *, part: str | None) -> ReadFilters:
    """The CLKs of one schema in a data owner's zip; `part` names the schema where there are several."""
    with opened(path) as handle:
        try:
            archive = zipfile.ZipFile(handle)
            names = _json_members(path, archive)
            size = UnpackedSize(path, handle.seek(0, 2))
            member = _chosen(path, [name for name in names if not _is_metadata(name)], part)
            read = clks_in(path, _json_at(path, archive, member, size))
            for name in filter(_is_metadata, names):
                _check_count(path, _json_at(path, archive, name, size), len(read))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
            raise InputError(path, "is no zip archive that can be read, or is damaged") from None
    return read


def read_link_ids(path: Path, sides: tuple[LinkedSide, LinkedSide], *, named: bool) -> ForeignLinks:
    """The links between two sites in a table of LINK_IDs; the sites are its columns, unless they are `named`."""
    names = _sites(path, sides if named else None)
    site_a, site_b = (LinkedSide(name, side.ids) for name, side in zip(names, sides, strict=True))
    left, right = [], []
    for row, (one, other) in enumerate(zip(*columns_of(path, names), strict=True), 1):
        if one and other:
            left.append(site_a.id_at(path, _row(path, one, row), row))
            right.append(site_b.id_at(path, _row(path, other, row), row))
    return ForeignLinks(left, right)


def link_ids_csv(
    links: ForeignLinks, sides: tuple[LinkedSide, LinkedSide], *, counts: tuple[int, int], fresh: Callable[[], str]
) -> Iterator[str]:
    """A table of LINK_IDs for all records of both sites; `fresh` gives an id that nothing follows from."""
    rows = links.rows(sides)
    groups = groups_of(rows)
    if any(len(group[0]) > 1 or len(group[1]) > 1 for group in groups):
        raise SettingError(
            "some records have several links, and a table of LINK_IDs has one record of a site in a row",
            hint="link with --one-to-one",
        )
    linked = set(rows[0]), set(rows[1])
    cells: list[tuple[int | str, int | str]] = [(group[0][0], group[1][0]) for group in groups]
    cells += [(row, "") for row in range(counts[0]) if row not in linked[0]]
    cells += [("", row) for row in range(counts[1]) if row not in linked[1]]
    yield _line(LINK_ID, sides[0].name, sides[1].name)
    for one, other in cells:
        yield _line(fresh(), one, other)


def _json_members(path: Path, archive: zipfile.ZipFile) -> list[str]:
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS:
        raise InputError(path, f"holds more than {_MOST_MEMBERS} files")
    names = [one.filename for one in members if one.filename.endswith(".json") and not one.is_dir()]
    if len(set(names)) != len(names):
        raise InputError(path, "holds two files of the same name")
    if any(one.flag_bits & 1 for one in members):
        raise InputError(path, "is encrypted", hint="unpack it first")
    return names


def _chosen(path: Path, names: list[str], part: str | None) -> str:
    schemas = {PurePosixPath(name).stem: name for name in names}
    listed = ", ".join(sorted(schemas)) or "none"
    if part is None and len(schemas) == 1:
        return next(iter(schemas.values()))
    if part not in schemas:
        said = f"holds CLKs of {len(schemas)} schemas" if part is None else "holds no CLKs of that schema"
        raise InputError(path, said, hint=f"--part names one: {listed}")
    return schemas[part]


def _json_at(path: Path, archive: zipfile.ZipFile, name: str, size: UnpackedSize) -> Any:
    """What a file in the archive holds, unpacked piece by piece: what the archive says of its size may be a lie."""
    held = bytearray()
    with archive.open(name) as member:
        while piece := member.read(_PIECE):
            size.take(len(piece))
            held += piece
            if len(held) > LONGEST:
                raise InputError(path, f"holds a file larger than {LONGEST >> 20} MB")
    try:
        return parsed_json(held.decode("utf-8-sig"))
    except (UnicodeDecodeError, NotJson):
        raise InputError(path, "holds a .json file that is not JSON") from None


def _check_count(path: Path, metadata: Any, count: int) -> None:
    expected = metadata.get("number_of_records") if isinstance(metadata, dict) else None
    if type(expected) is int and expected != count:
        hint = "the zip was put together from two runs; ask its owner for another"
        raise InputError(path, f"says {expected} records and holds {count} CLKs", hint=hint)


def _is_metadata(name: str) -> bool:
    return PurePosixPath(name).name.startswith(_METADATA)


def _sites(path: Path, sides: tuple[LinkedSide, LinkedSide] | None) -> tuple[str, str]:
    if sides is not None:
        return sides[0].name, sides[1].name
    names = [name for name in open_table(path).columns if name != LINK_ID]
    if len(names) != 2:  # noqa: PLR2004 - links are between two
        raise InputError(path, f"has {len(names)} sites", hint="--name-a and --name-b say which two")
    return names[0], names[1]


def _row(path: Path, text: str, row: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):  # noqa: PLR2004 - digits
        raise InputError(path, "holds something else than the number of a row", row=row)
    return int(text)


def _line(*cells: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()
