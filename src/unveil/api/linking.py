"""`link`: two tables in one place to links, persons, and an estimate of how good they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from unveil.api.encoding import EncodedTable
from unveil.api.key import Key
from unveil.api.results import ResultTable, SvgPicture
from unveil.api.tables import missing_names, schema_named, table_named, warn
from unveil.charts.figures import count, score
from unveil.charts.markup import Markup, el
from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.files.encoded import Encodings, holds_encodings, read_encodings
from unveil.files.open_table import TableSource
from unveil.files.reading import Reading
from unveil.linkage.estimate import Estimate
from unveil.one_place.figures import OnePlaceFigures
from unveil.one_place.link import (
    FilesLinked,
    OnePlaceSettings,
    Unseen,
    key_of_records,
    link_encodings,
    link_records,
)
from unveil.one_place.report import render
from unveil.one_place.report.pictures import picture
from unveil.one_place.same_file import same_file_sentence
from unveil.one_place.two_tables import read_two
from unveil.schema import Schema

_SIDES: Final = ("a", "b")


class LinkResult:
    """
    What came of a linkage in one place.

    `links` has a row for each link, `persons` one for each record of both tables; both offer an Arrow stream, and so
    does the result itself, as its links. `warnings` are what was warned of, `chosen` what was chosen where nobody said
    it. Nothing that is shown of it holds a value.
    """

    def __init__(
        self, linked: FilesLinked, schema: Schema | None, chosen: tuple[str, ...], said: tuple[str, ...]
    ) -> None:
        self._linked, self._schema = linked, schema
        self._links = ResultTable(linked.links(), ids=("record_id_a", "record_id_b"))
        self._persons = ResultTable(linked.persons(), ids=("record_id",))
        self.chosen, self.warnings = chosen, said

    @property
    def links(self) -> ResultTable:
        """Columns record_id_a, record_id_b, similarity, probability (where models decided) and person; surest first."""
        return self._links

    @property
    def persons(self) -> ResultTable:
        """Columns file (a or b), record_id and person: records that links join have one number."""
        return self._persons

    @property
    def estimate(self) -> Estimate | None:
        """Low, likely and high of `precision`, `recall` and `f1`, and if it is `trusted`; None with a threshold."""
        return self._linked.found.estimate

    @property
    def schema(self) -> Schema | None:
        """The schema that was used, given or proposed; None for encodings, which were made before."""
        return self._schema

    def __len__(self) -> int:
        return len(self._links)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The links."""
        return self._links.__arrow_c_stream__(requested_schema)

    def plot(self, name: str = "estimate") -> SvgPicture:
        """A picture: `estimate`, `course`, `similarity` or `worth`; the report has them all."""
        return SvgPicture(picture(self._figures(), name))

    def report(self) -> str:
        """The report as one HTML page that loads nothing and holds no value."""
        return render(self._figures())

    def save_report(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Save the report."""
        with replacing(Path(path), overwrite=overwrite) as temporary:
            temporary.write_text(self.report(), encoding="utf-8")

    def _figures(self) -> OnePlaceFigures:
        if self._linked.figures is None:
            raise SettingError("a threshold leaves nothing to draw", hint="link without a threshold")
        return self._linked.figures

    def __repr__(self) -> str:
        f1 = "" if self.estimate is None else f", F1 about {self.estimate.f1[1]:.3f}"
        return f"LinkResult(<{len(self):,} links>{f1})"

    def _repr_html_(self) -> str:
        """How a notebook shows it: counts and the estimate, no value."""
        rows = [("links", count(len(self))), ("people in both tables", count(self._linked.found.linked_persons))]
        if self.estimate is not None:
            figures = (
                ("precision", self.estimate.precision),
                ("recall", self.estimate.recall),
                ("F1", self.estimate.f1),
            )
            rows += [
                (f"{name}, estimated", f"{score(likely)} (between {score(low)} and {score(high)})")
                for name, (low, likely, high) in figures
            ]
        return _shown(rows)


def _shown(rows: list[tuple[str, str]]) -> Markup:
    return el("table", *(el("tr", el("th", name, scope="row"), el("td", value)) for name, value in rows))


def link(
    a: TableSource | EncodedTable,
    b: TableSource | EncodedTable,
    *,
    schema: Schema | Path | str | None = None,
    key: Key | None = None,
    id_a: str | None = None,
    id_b: str | None = None,
    columns_a: Mapping[str, str] | None = None,
    columns_b: Mapping[str, str] | None = None,
    reading_a: Reading | None = None,
    reading_b: Reading | None = None,
    threshold: float | None = None,
    one_to_one: bool = False,
    engine: str = "auto",
) -> LinkResult:
    """
    Link two tables in one place: records are encoded, compared, and opened by attribute where that is uncertain.

    `a` and `b` are paths or anything that offers an Arrow stream (pandas, polars, DuckDB, Arrow), or both what `encode`
    gave. Without a schema one is proposed from both; without a key one is made from the records and used for this call
    alone. `id_a` and `id_b` name the columns that identify records (`row` numbers them), `columns_a` and `columns_b`
    say by attribute which column it is read from; `reading_a` and `reading_b` how a file is written, where that is not
    to be found. With a `threshold` a similarity decides instead of the models;
    `one_to_one` links each record once. `engine` is auto, reference, cpu or gpu.

    What looks wrong with the data is warned of (`UnveilWarning`), and stands in the result's `warnings`.
    """
    settings = OnePlaceSettings(threshold=threshold, one_to_one=one_to_one, engine=engine, followed=True)
    encoded = _encodings(a), _encodings(b)
    if encoded[0] is not None and encoded[1] is not None:
        return _of_encodings((encoded[0], encoded[1]), settings)
    if encoded[0] is not None or encoded[1] is not None or isinstance(a, EncodedTable) or isinstance(b, EncodedTable):
        raise SettingError("one of the two is encodings and the other is records", hint="hand in two of one kind")
    sides = (
        table_named(a, "a", record_id=id_a, columns=columns_a, reading=reading_a),
        table_named(b, "b", record_id=id_b, columns=columns_b, reading=reading_b),
    )
    lost = [sentence for side in sides for sentence in missing_names(side)]
    tables = read_two(*sides, schema_named(schema))
    secret = key_of_records(tables.records) if key is None else key.owner_key
    names = (sides[0].name, sides[1].name)
    linked = link_records(tables.records, tables.schema, secret, names, settings, stages=Unseen())
    said = _said(linked, (*lost, *tables.warnings))
    warn(said)
    return LinkResult(linked, tables.schema, (*tables.notes, *tables.chosen), said)


def _encodings(table: TableSource | EncodedTable) -> Encodings | None:
    if isinstance(table, EncodedTable):
        return table.encodings
    if isinstance(table, str | Path) and holds_encodings(Path(table)):
        return read_encodings(Path(table))
    return None


def _of_encodings(sides: tuple[Encodings, Encodings], settings: OnePlaceSettings) -> LinkResult:
    linked = link_encodings(sides, _SIDES, settings, stages=Unseen())
    said = _said(linked, ())
    warn(said, level=4)
    return LinkResult(linked, None, (), said)


def _said(linked: FilesLinked, more: tuple[str, ...]) -> tuple[str, ...]:
    """Everything that is warned of: columns, the same table twice, what units say, records that were kept out."""
    names = dict(zip(("owner a", "owner b"), linked.names, strict=True))
    units = [warning.about(names).sentence for warning in linked.found.warnings]
    kept_out = [
        f"{records:,} records of {name} were kept out of the comparison: {why}"
        for name, reasons in zip(linked.names, linked.found.kept_out, strict=True)
        for why, records in reasons.items()
    ]
    twice = same_file_sentence((Path(linked.names[0]), Path(linked.names[1])), linked.same)
    return (*more, *filter(None, (twice,)), *kept_out, *units)
