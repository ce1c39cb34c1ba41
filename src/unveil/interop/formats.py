"""All formats by name: what each holds, whose it is, and in which order its bits stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from unveil.errors import InputError, SettingError
from unveil.files.encoded import holds_encodings
from unveil.files.open_table import open_table
from unveil.files.source import opened
from unveil.interop.bit_order import LEAST, MOST, BitOrder
from unveil.interop.json_text import read_json
from unveil.interop.origins import UNVEIL
from unveil.settings.mistakes import near

Holds = Literal["encodings", "links"]


@dataclass(frozen=True, slots=True)
class Format:
    """One format; `origin` and `order` are of encodings alone."""

    holds: Holds
    sentence: str
    origin: str = ""
    order: BitOrder | None = None
    reads: bool = True
    writes: bool = True


FORMATS: Final[Mapping[str, Format]] = {
    "unveil": Format("encodings", "our own files, which unveil encode writes and unveil link reads", UNVEIL, LEAST),
    "clkhash": Format("encodings", 'JSON {"clks": […]} of clkhash and anonlink', "clkhash", MOST),
    "clkhash-blocks": Format("encodings", 'JSON {"clknblocks": […]}: CLKs, each with its blocks', "clkhash", MOST),
    "anonlink-encodings": Format("encodings", 'JSON {"encodings": […], "blocks": {…}}', "clkhash", MOST),
    "anonlink-binary": Format("encodings", "bytes of CLKs, as anonlink's service takes them", "clkhash", MOST),
    "codi": Format("encodings", "zip of a data owner of CODI", "clkhash", MOST, writes=False),
    "primat": Format("encodings", "CSV of PRIMAT: id, filter in base64", "primat", LEAST),
    "primat-reversed": Format("encodings", "the same with the bytes of a filter in reverse", "primat", LEAST),
    "pprl-services": Format(
        "encodings", "JSON of records with attributes of type BITSET_BASE64", "pprl-services", LEAST
    ),
    "ul-mds": Format("encodings", "JSON of entities with id and value, of ul-mds' pprl", "ul-mds", MOST),
    "ul-mds-csv": Format("encodings", "CSV with id and value, of ul-mds' client", "ul-mds", MOST),
    "ul-mds-match": Format("encodings", "JSON: a request to match two files", "ul-mds", MOST, reads=False),
    "unveil-links": Format("links", "our own links: CSV, Parquet or JSON by the name of the file"),
    "anonlink-groups": Format("links", "JSON of anonlink: groups of [party, row]"),
    "anonlink-scores": Format("links", "JSON of anonlink: two [party, row] and their similarity"),
    "codi-link-ids": Format("links", "CSV of CODI: a LINK_ID and the rows of both sites"),
    "splink": Format("links", "predictions of Splink, CSV or Parquet"),
    "splink-labels": Format("links", "labels for Splink, CSV or Parquet"),
    "ul-mds-matches": Format("links", "matches of ul-mds' client (CSV), or of its server (JSON)"),
}
#: A key of a JSON object, and the format that has it.
_BY_KEY: Final = {
    "clks": "clkhash",
    "clknblocks": "clkhash-blocks",
    "domain": "ul-mds",
    "entities": "ul-mds",
    "groups": "anonlink-groups",
    "similarity_scores": "anonlink-scores",
    "matches": "ul-mds-matches",
    "attributes": "pprl-services",
    "encodings": "anonlink-encodings",
}
_BY_COLUMN: Final = {
    "record_id_a": "unveil-links",
    "match_probability": "splink",
    "clerical_match_score": "splink-labels",
    "LINK_ID": "codi-link-ids",
    "domain_id": "ul-mds-matches",
}
_SCORED: Final = 3  # two records, and how alike they are


def format_named(name: str) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        hint = "unveil formats lists them"
        raise SettingError(f"there is no format {name[:40]}{near(name, FORMATS)}", hint=hint)
    return FORMATS[name]


def found_format(path: Path) -> str:
    """
    The name of the format that a file is in.

    Where the shape does not tell in which order the bits stand, nobody may guess: that is an InputError.
    """
    if holds_encodings(path):
        return "unveil"
    with opened(path) as handle:
        head = handle.read(64)
    if head.startswith(b"PK\x03\x04"):
        return "codi"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    name = _of_json(read_json(path)) if start in {b"{", b"["} else _of_table(path)
    if name is None:
        raise InputError(
            path, "is in no format that shows by itself", hint="name it with --from; unveil formats lists them"
        )
    return name


def _of_json(found: Any) -> str | None:
    if isinstance(found, dict):
        return next((name for key, name in _BY_KEY.items() if key in found), None)
    first = found[0] if isinstance(found, list) and found else None
    if isinstance(first, dict):
        known = (("record_id_a", "unveil-links"), ("attributes", "pprl-services"), ("value", "ul-mds"))
        return next((name for key, name in known if key in first), None)
    if isinstance(first, list):
        scored = len(first) == _SCORED and not isinstance(first[2], list)
        return "anonlink-scores" if scored else "anonlink-groups"
    return None


def _of_table(path: Path) -> str | None:
    columns = open_table(path).columns
    found = next((name for column, name in _BY_COLUMN.items() if column in columns), None)
    if found is None and len(columns) <= 3:  # noqa: PLR2004 - an id, a filter, perhaps another
        raise InputError(
            path,
            "may be a CSV of PRIMAT or of ul-mds: their bits stand in opposite order, and nothing in the file tells "
            "in which",
            hint="--from primat, or --from ul-mds-csv",
        )
    return found
