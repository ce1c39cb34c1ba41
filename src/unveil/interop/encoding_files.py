"""Files of encodings in any format: read as our own, with their origin, and written from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, cast

import numpy as np

from unveil.errors import InputError, SettingError
from unveil.files.atomic import replacing
from unveil.files.encoded import ORIGIN, UNVEIL, Encodings, read_encodings, write_encodings
from unveil.files.read import read_column
from unveil.interop.base64_tables import primat_csv, read_primat, read_ul_mds_csv, ul_mds_csv
from unveil.interop.blocks import KIND, keys_of_blocks
from unveil.interop.clk_files import (
    WRITERS,
    ReadFilters,
    binary,
    binary_headers,
    check_whole_bytes,
    read_binary,
    read_blocks,
    read_clks,
)
from unveil.interop.codi import read_codi
from unveil.interop.formats import FORMATS
from unveil.interop.json_records import (
    pprl_services_json,
    read_pprl_services,
    read_ul_mds,
    ul_mds_json,
    ul_mds_request,
)
from unveil.interop.origins import BIT_ORDER, FORMAT
from unveil.protocol.messages import HASH

_OF_ANONLINK: Final = (*WRITERS, "anonlink-binary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a person says about a foreign file that it does not say itself."""

    bits: int | None = None  #: length of a filter
    part: str | None = None  #: which of several sets of filters
    origin: str | None = None  #: who encoded, if not the tool whose format it is
    ids: Path | None = None  #: the table that was encoded, for the ids of its rows
    id_column: str | None = None
    blocks: Path | None = None  #: blocks by row
    no_blocks: bool = False


_READERS: Final[dict[str, Callable[[Path, Told], ReadFilters]]] = {
    "clkhash": lambda path, told: read_clks(path, m=told.bits),
    "clkhash-blocks": lambda path, told: read_clks(path, m=told.bits),
    "anonlink-encodings": lambda path, told: read_clks(path, m=told.bits),
    "anonlink-binary": lambda path, told: read_binary(path, m=told.bits),
    "codi": lambda path, told: read_codi(path, part=told.part),
    "primat": lambda path, told: read_primat(path, m=told.bits, part=told.part),
    "primat-reversed": lambda path, told: read_primat(path, m=told.bits, part=told.part, reverse=True),
    "pprl-services": lambda path, told: read_pprl_services(path, m=told.bits, part=told.part),
    "ul-mds": lambda path, told: read_ul_mds(path, m=told.bits, part=told.part),
    "ul-mds-csv": lambda path, told: read_ul_mds_csv(path, m=told.bits),
}
#: Formats of Java's BitSet: how long a filter is, nobody says.
_CUT: Final = ("primat", "primat-reversed", "pprl-services")


def read_foreign(path: Path, name: str, told: Told, *, now: datetime) -> tuple[Encodings, tuple[str, ...]]:
    """The encodings in a file of that format, as our own with their origin; and what people should know."""
    if name == UNVEIL:
        return read_encodings(path), ()
    read = _READERS[name](path, told)
    notes = list(read.notes)
    if name in _CUT and told.bits is None:
        notes.append(
            f"the length of a filter does not stand in the file, and is taken for {read.m} bits; --bits says it"
        )
    named = read_blocks(told.blocks, len(read)) if told.blocks else read.blocks
    blocking, kind = np.zeros((len(read), 0, HASH), np.uint8), cast("str | None", None)
    if named is not None and any(named) and not told.no_blocks:
        blocking, kind = keys_of_blocks(named)
    ids = _ids(path, read, told)
    metadata = {
        "created": now.isoformat(timespec="seconds"),
        ORIGIN: told.origin or FORMATS[name].origin,
        FORMAT: name,
        BIT_ORDER: str(FORMATS[name].order),
        **({KIND: kind} if kind else {}),
    }
    return Encodings(ids, read.filters, read.m, blocking, metadata), tuple(notes)


def write_foreign(
    path: Path,
    name: str,
    file: Encodings,
    told: Told,
    *,
    other: Encodings | None,
    threshold: float,
    source: str,
    overwrite: bool,
) -> dict[str, str]:
    """Write the encodings in that format; what has to be told beside the file, if anything."""
    if name == UNVEIL:
        write_encodings(
            path, ids=file.ids, filters=file.filters, m=file.m, blocking=file.blocking, metadata=file.metadata,
            overwrite=overwrite,
        )  # fmt: skip
        return {}
    if name in _OF_ANONLINK:
        check_whole_bytes(file)
    if name == "anonlink-binary":
        with replacing(path, overwrite=overwrite) as temporary, temporary.open("wb") as handle:
            handle.writelines(binary(file))
        return binary_headers(file)
    parts = _text(name, file, told, other=other, threshold=threshold, source=source)
    write_text(path, parts, overwrite=overwrite)
    return {}


def write_text(path: Path, parts: Iterable[str], *, overwrite: bool) -> None:
    """Write text as it stands; the file appears whole or not at all."""
    with replacing(path, overwrite=overwrite) as temporary, temporary.open("w", encoding="utf-8", newline="") as handle:
        handle.writelines(parts)


def _text(
    name: str, file: Encodings, told: Told, *, other: Encodings | None, threshold: float, source: str
) -> Iterator[str]:
    if name in WRITERS:
        return WRITERS[name](file)
    if name == "ul-mds-match":
        assert other is not None
        return ul_mds_request(file, other, threshold=threshold)
    writers: dict[str, Callable[[], Iterator[str]]] = {
        "primat": lambda: primat_csv(file),
        "primat-reversed": lambda: primat_csv(file, reverse=True),
        "pprl-services": lambda: pprl_services_json(file, source=source, part=told.part),
        "ul-mds": lambda: ul_mds_json(file),
        "ul-mds-csv": lambda: ul_mds_csv(file),
    }
    return writers[name]()


def _ids(path: Path, read: ReadFilters, told: Told) -> Sequence[str]:
    """The ids of the rows: of the table that was encoded, of the file, or numbers from 1 on."""
    if told.ids is not None:
        ids: Sequence[str] = read_column(told.ids, told.id_column or "record_id")
        if len(ids) != len(read):
            raise SettingError(
                f"{told.ids} has {len(ids)} records, and {path} has {len(read)} encodings",
                hint="name the table that was encoded, with all its rows",
            )
    else:
        ids = [str(row) for row in range(1, len(read) + 1)] if read.ids is None else read.ids
    if len(set(ids)) != len(ids) or "" in ids:
        raise InputError(told.ids or path, "has rows without an id, or two with the same", hint="ids must be unique")
    return ids
