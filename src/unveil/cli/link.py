"""`unveil link`: two files of one place, linked to persons: encodings, or records that are encoded for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json
from unveil.cli.options import EngineName, Force, Json
from unveil.cli.table_options import TwoReadings, reads_two_tables, said_of

if TYPE_CHECKING:
    from unveil.cli.review.person import Place
    from unveil.one_place.link import FilesLinked, OnePlaceSettings

_RECORDS = "Files of records"
_REVIEW = "Review"
_LABELS = 100  # that a person is asked for, unless told otherwise


@app.command()
@reads_two_tables
def link(
    a: Annotated[Path, typer.Argument(help="one file: records, or encodings from unveil encode", show_default=False)],
    b: Annotated[Path, typer.Argument(help="the other file, of the same kind", show_default=False)],
    *,
    out: Annotated[
        Path,
        typer.Option(
            help="file for the links: CSV, or .parquet, .feather, .json by its name; - is stdout", show_default=False
        ),
    ],
    persons: Annotated[
        Path | None,
        typer.Option(help="file to write the person of every record to, in the same formats", show_default=False),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="write an HTML report here; it holds no value", show_default=False)
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="a built-in schema or a file; proposed from both files if not given",
            show_default=False,
            rich_help_panel=_RECORDS,
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            help="key file; without one a key is made for this run", show_default=False, rich_help_panel=_RECORDS
        ),
    ] = None,
    review: Annotated[
        bool,
        typer.Option("--review", help="decide about uncertain pairs, masked, in your browser", rich_help_panel=_REVIEW),
    ] = False,
    terminal: Annotated[
        bool,
        typer.Option("--terminal", help="with --review: here in the terminal instead", rich_help_panel=_REVIEW),
    ] = False,
    budget: Annotated[
        int, typer.Option(help="with --review: pairs that you are asked about at most", min=1, rich_help_panel=_REVIEW)
    ] = _LABELS,
    threshold: Annotated[
        float | None, typer.Option(help="link by similarity alone, from this one on; no models", show_default=False)
    ] = None,
    one_to_one: Annotated[
        bool, typer.Option("--one-to-one", help="link each record once: the best pairs first")
    ] = False,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="with --threshold: compare every pair, without blocking")
    ] = False,
    max_block: Annotated[int, typer.Option(help="blocks with more pairs than this are skipped")] = 1_000_000,
    engine: EngineName = "auto",
    readings: TwoReadings,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """
    Link two files in one trusted place, and say how good the links are.

    Files of records are encoded, compared, and opened by attribute where that is uncertain: nothing leaves the place,
    and no value is printed or written. Files of encodings are linked by their record filters alone. Each link has a
    probability; records are joined to persons, and precision and recall are estimated with intervals. The shipped
    models decide, which know generated people; with --threshold a similarity decides instead.

    Example: unveil link hospital.csv registry.csv --out links.csv --persons persons.csv --report report.html
    """
    from unveil.cli.linked import as_json as result_as_json
    from unveil.cli.linked import say_result, write_result
    from unveil.errors import SettingError
    from unveil.files.atomic import check_target
    from unveil.files.encoded import holds_encodings
    from unveil.files.source import STANDARD
    from unveil.files.write_table import check_format
    from unveil.one_place.link import OnePlaceSettings

    place: Place | None = ("terminal" if terminal else "page") if review or terminal else None
    settings = OnePlaceSettings(
        threshold=threshold, one_to_one=one_to_one, all_pairs=all_pairs, max_block=max_block, engine=engine,
        budget=budget if place else 0, followed=report is not None,
    )  # fmt: skip
    if out == STANDARD and (place or as_json):
        both = "--json prints there" if as_json else "what you decide is kept beside the links"
        raise SettingError(f"--out -: {both}", hint="name a file")
    for path in filter(None, (out, persons, report)):
        check_target(path, overwrite=force)
    for path in filter(None, (out, persons)):
        check_format(path)
    more: tuple[str, ...] = ()
    if holds_encodings(a) or holds_encodings(b):
        given = {"--schema": schema is not None, "--key": key is not None, **said_of(readings)}
        linked = _encodings(a, b, settings, [name for name, is_given in given.items() if is_given])
    else:
        from unveil.cli.link_records import link_files, two_files

        tables = two_files((a, b), schema, readings)
        more = tables.warnings
        linked = link_files(tables, (str(a), str(b)), settings, key=key, place=place, session=out)
    written = write_result(linked, out=out, persons=persons, report=report, overwrite=force)
    if as_json:
        print_json(result_as_json(linked, (a, b), more, written))
    else:
        say_result(linked, (a, b), more, written)


def _encodings(a: Path, b: Path, settings: OnePlaceSettings, of_records: list[str]) -> FilesLinked:
    from unveil.cli.progress import Stages
    from unveil.errors import SettingError
    from unveil.files.encoded import read_encodings
    from unveil.one_place.link import link_encodings

    if of_records:
        raise SettingError(
            f"{', '.join(of_records)}: for files of records, and these are encodings", hint="leave it out"
        )
    with Stages(notes) as stages:
        stages.begin("reading encodings")
        return link_encodings((read_encodings(a), read_encodings(b)), (str(a), str(b)), settings, stages=stages)
