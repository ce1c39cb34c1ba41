"""Results in memory: tables that offer an Arrow stream, pictures that can be shown and saved. None shows a value."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unveil.charts.figures import count
from unveil.charts.markup import el
from unveil.files.atomic import replacing
from unveil.files.write_table import write_table


class ResultTable:
    """
    A table of results that pandas, polars, DuckDB and Arrow take without a copy, for it offers an Arrow stream.

    `pandas.DataFrame.from_arrow(table)`, `polars.DataFrame(table)`, `duckdb.sql("from table")`, `pyarrow.table(table)`.
    What is shown of it in a notebook is its size and its columns, never a value.
    """

    __slots__ = ("_ids", "_table")

    def __init__(self, table: Any, *, ids: Sequence[str] = ()) -> None:
        self._table, self._ids = table, tuple(ids)

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        return list(self._table.column_names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows, as any library takes them that knows Arrow's C stream interface."""
        return self._table.__arrow_c_stream__(requested_schema)

    def write(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Save it: `.parquet` as Parquet, `.json` as JSON, anything else as CSV that spreadsheets open safely."""
        write_table(Path(path), self._table, ids=self._ids, overwrite=overwrite)

    def __repr__(self) -> str:
        return f"ResultTable(<{len(self):,} rows>, {', '.join(self.column_names)})"

    def _repr_html_(self) -> str:
        """How a notebook shows it: how many rows, of what columns."""
        kinds = [str(field.type) for field in self._table.schema]
        head = el("tr", *(el("th", name, scope="col") for name in self.column_names))
        body = el("tr", *(el("td", kind) for kind in kinds))
        return el("table", el("caption", f"{count(len(self))} rows; values are not shown"), head, body)


class SvgPicture:
    """A picture of a result: shown in notebooks, saved as an SVG file that any browser opens."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Save it as an SVG file."""
        with replacing(Path(path), overwrite=overwrite) as temporary:
            temporary.write_text(self.text, encoding="utf-8")

    def __repr__(self) -> str:
        return f"SvgPicture(<{len(self.text):,} characters>)"

    def _repr_html_(self) -> str:
        """How a notebook shows it: as an image, so that its colours stay its own."""
        data = base64.b64encode(self.text.encode()).decode()
        return el("img", src=f"data:image/svg+xml;base64,{data}", alt="", style="max-width: 912px").removesuffix(
            "</img>"
        )
