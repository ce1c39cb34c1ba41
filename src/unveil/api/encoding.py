"""`encode`: records to encodings that can be compared without the records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from unveil.api.key import Key
from unveil.api.tables import missing_names, schema_named, table_named, warn
from unveil.charts.figures import count
from unveil.charts.markup import el
from unveil.encoding.shuffling import ids_tell_order
from unveil.files.encoded import Encodings, encodings_table, write_encodings
from unveil.files.open_table import TableSource
from unveil.files.read import read_own
from unveil.files.reading import Reading
from unveil.one_place.encode import IN_ORDER, encoded
from unveil.schema import Schema, built_in


class EncodedTable:
    """
    Records that were encoded: a filter and hashed blocking keys for each, in random order, with the owner's ids.

    It offers an Arrow stream of what `write` saves, and `unveil link` reads. Whoever gets it needs no key to compare;
    `docs/threat-model.md` says what it still tells.
    """

    __slots__ = ("_encodings", "notes")

    def __init__(self, encodings: Encodings, notes: tuple[str, ...] = ()) -> None:
        self._encodings = encodings
        self.notes = notes  #: how the records were read, where that had to be found

    @property
    def fingerprint(self) -> str:
        """The same for both owners if, and only if, they used the same key, project and schema; it is no secret."""
        return self._encodings.metadata["fingerprint"]

    @property
    def fill_rate(self) -> float:
        """The share of bits that are set; it should lie near 0.4."""
        ones = int(np.bitwise_count(self._encodings.filters).sum())
        return ones / max(1, len(self) * self._encodings.m)

    @property
    def encodings(self) -> Encodings:
        """The arrays."""
        return self._encodings

    def __len__(self) -> int:
        return len(self._encodings)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Columns record_id, filter, block_0, block_1, … as the file has them."""
        return encodings_table(self._encodings).__arrow_c_stream__(requested_schema)

    def write(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Save them as the Parquet file that `unveil link` reads, readable by its owner alone."""
        made = self._encodings
        write_encodings(
            Path(path), ids=made.ids, filters=made.filters, m=made.m, blocking=made.blocking, metadata=made.metadata,
            overwrite=overwrite,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"EncodedTable(<{len(self):,} records, {self._encodings.m} bits>)"

    def _repr_html_(self) -> str:
        """How a notebook shows it: counts and the fingerprint, no encoding."""
        rows = [
            ("records", count(len(self))),
            ("bits of a filter", count(self._encodings.m)),
            ("share of bits that are set", f"{self.fill_rate:.3f}"),
            ("fingerprint", self.fingerprint),
        ]
        return el("table", *(el("tr", el("th", name, scope="row"), el("td", value)) for name, value in rows))


def encode(
    table: TableSource,
    *,
    key: Key,
    schema: Schema | Path | str | None = None,
    project: str = "default",
    record_id: str | None = None,
    columns: Mapping[str, str] | None = None,
    reading: Reading | None = None,
) -> EncodedTable:
    """
    Encode the records of a table for `link`, at an owner or for a trusted unit.

    The schema is the built-in `person` unless another is named; both owners need the same one, the same key and the
    same project. `record_id` names the column that identifies a record (`row` numbers them), `columns` says by
    attribute which column it is read from; `reading` says how a file is written, where that is not to be found.
    """
    chosen = schema_named(schema) or built_in()
    side = table_named(table, "table", record_id=record_id, columns=columns, reading=reading)
    lost = missing_names(side)
    own = read_own(side.source, chosen, side.reading)
    order = [IN_ORDER] if ids_tell_order(own.records.ids) else []
    warn([*lost, *(f"{side.name}, {one}" for one in own.warnings), *order])
    return EncodedTable(encoded(own.records, chosen, key.owner_key, project=project, now=datetime.now(UTC)), own.notes)
