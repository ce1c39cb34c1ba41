"""Files of links in any format, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.files.write_table import write_table
from unveil.interop.anonlink import groups_json, read_groups, read_scores, scores_json
from unveil.interop.base64_tables import read_ul_mds_matches, ul_mds_matches_csv
from unveil.interop.codi import link_ids_csv, read_link_ids
from unveil.interop.encoding_files import write_text
from unveil.interop.json_records import read_ul_mds_answer
from unveil.interop.links import OURS, ForeignLinks, LinkedSide, links_table, read_links
from unveil.interop.splink import labels_table, predictions_table, read_labels, read_predictions

Sides = tuple[LinkedSide, LinkedSide]

_TABLES: Final[dict[str, Callable[[ForeignLinks, Sides], Any]]] = {
    "splink": predictions_table,
    "splink-labels": labels_table,
}
_TEXTS: Final[dict[str, Callable[[ForeignLinks, Sides], Iterator[str]]]] = {
    "anonlink-groups": groups_json,
    "anonlink-scores": scores_json,
    "ul-mds-matches": ul_mds_matches_csv,
}


def read_foreign_links(path: Path, name: str, sides: Sides, *, named: bool, id_column: str | None) -> ForeignLinks:
    """The links in a file of that format; `named` if somebody said what the sides are called."""
    said = sides if named else None
    readers: dict[str, Callable[[], ForeignLinks]] = {
        "unveil-links": lambda: read_links(path),
        "anonlink-groups": lambda: read_groups(path, sides),
        "anonlink-scores": lambda: read_scores(path, sides),
        "codi-link-ids": lambda: read_link_ids(path, sides, named=named),
        "splink": lambda: read_predictions(path, said, id_column=id_column),
        "splink-labels": lambda: read_labels(path, said, id_column=id_column),
        "ul-mds-matches": lambda: _matches(path),
    }
    return readers[name]()


def write_foreign_links(
    path: Path, name: str, links: ForeignLinks, sides: Sides, *, fresh: Callable[[], str], overwrite: bool
) -> None:
    """Write the links in that format; tables as Parquet or JSON where the name of the file says so."""
    if name == "unveil-links":
        write_table(path, links_table(links), ids=OURS, overwrite=overwrite)
        return
    if name in _TABLES:
        _write_for_programs(path, _TABLES[name](links, sides), overwrite=overwrite)
        return
    if name != "codi-link-ids":
        write_text(path, _TEXTS[name](links, sides), overwrite=overwrite)
        return
    counts = [None if side.ids is None else len(side.ids) for side in sides]
    if counts[0] is None or counts[1] is None:
        raise SettingError(
            "a table of LINK_IDs has every record of both sites",
            hint="--rows-a and --rows-b name the files that were linked",
        )
    write_text(path, link_ids_csv(links, sides, counts=(counts[0], counts[1]), fresh=fresh), overwrite=overwrite)


def _write_for_programs(path: Path, table: Any, *, overwrite: bool) -> None:
    """Parquet, or CSV in which ids stand as they are, even where a spreadsheet would take one for a formula."""
    from pyarrow import csv, parquet

    with replacing(path, overwrite=overwrite) as temporary:
        if path.suffix.lower() == ".parquet":
            parquet.write_table(table, temporary)
        else:
            csv.write_csv(table, temporary)


def _matches(path: Path) -> ForeignLinks:
    with path.open("rb") as handle:
        is_json = handle.read(64).lstrip()[:1] == b"{"
    return read_ul_mds_answer(path) if is_json else read_ul_mds_matches(path)
