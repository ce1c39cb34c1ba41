"""`unveil convert` and `unveil formats`: encodings and links as other tools have them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, results, say
from unveil.cli.options import Force, Json

if TYPE_CHECKING:
    from unveil.interop.conversion import Converted

_ENCODINGS = "Encodings"
_LINKS = "Links"


@app.command()
def convert(
    file: Annotated[Path, typer.Argument(help="file of encodings or of links", show_default=False)],
    *,
    to: Annotated[str, typer.Option(metavar="FORMAT", help="format to write, see unveil formats", show_default=False)],
    out: Annotated[Path, typer.Option(help="file to write", show_default=False)],
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="format of the file; found if it shows", show_default=False),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            metavar="TOOL",
            help="who encoded, if not the tool whose format it is: unveil, clkhash, primat, ul-mds or pprl-services",
            show_default=False,
            rich_help_panel=_ENCODINGS,
        ),
    ] = None,
    ids: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="the table that was encoded, for the ids of its rows; without it rows are numbered from 1",
            show_default=False,
            rich_help_panel=_ENCODINGS,
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option("--id", metavar="COLUMN", help="column of such a table with the ids; record_id if not given"),
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(
            metavar="M",
            help="length of a filter, where the file does not say",
            show_default=False,
            min=1,
            rich_help_panel=_ENCODINGS,
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="which of several: a schema of CODI, an attribute, a column, domain or range",
            show_default=False,
            rich_help_panel=_ENCODINGS,
        ),
    ] = None,
    blocks: Annotated[
        Path | None,
        typer.Option(
            help="file of anonlink block, with the blocks of CLKs", show_default=False, rich_help_panel=_ENCODINGS
        ),
    ] = None,
    no_blocks: Annotated[
        bool, typer.Option("--no-blocks", help="leave blocks out", rich_help_panel=_ENCODINGS)
    ] = False,
    other: Annotated[
        Path | None,
        typer.Option(
            "--with", help="for ul-mds-match: the second file", show_default=False, rich_help_panel=_ENCODINGS
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="for ul-mds-match: least similarity", min=0, max=1, rich_help_panel=_ENCODINGS)
    ] = 0.8,
    rows_a: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="encodings or records whose rows a result counts as its first party's",
            show_default=False,
            rich_help_panel=_LINKS,
        ),
    ] = None,
    rows_b: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="the same of the second party", show_default=False, rich_help_panel=_LINKS),
    ] = None,
    name_a: Annotated[
        str | None,
        typer.Option(help="what the first dataset or site is called there", show_default=False, rich_help_panel=_LINKS),
    ] = None,
    name_b: Annotated[
        str | None, typer.Option(help="and the second one", show_default=False, rich_help_panel=_LINKS)
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """
    Convert encodings or links from one tool's format to another's.

    Tools write the bits of a byte in different orders, and the bytes do not tell which: the format decides. Our files
    keep whose encodings they hold, and unveil link refuses to compare those of two tools.

    Example: unveil convert clks.json --to unveil --ids people.csv --out clks.parquet
    """
    from datetime import UTC, datetime
    from uuid import uuid4

    from unveil.files.atomic import check_target
    from unveil.interop.conversion import Conversion
    from unveil.interop.conversion import convert as converted
    from unveil.interop.encoding_files import Told

    check_target(out, overwrite=force)
    told = Told(bits=bits, part=part, origin=origin, ids=ids, id_column=id_column, blocks=blocks, no_blocks=no_blocks)
    asked = Conversion(
        path=file, out=out, source=source, target=to, told=told, rows=(rows_a, rows_b), names=(name_a, name_b),
        id_column=id_column, other=other, threshold=threshold,
    )  # fmt: skip
    with notes.status("converting"):
        done = converted(asked, now=datetime.now(UTC), fresh=lambda: str(uuid4()), overwrite=force)
    if as_json:
        print_json(_as_json(out, done))
        return
    length = "" if done.m is None else f" of {done.m} bits, made by {done.origin}"
    say(f"{done.count:,} {done.holds}{length}: {done.source} to {done.target}, written to {out}")
    for name, value in done.headers.items():
        say(f"send it with {name}: {value}")
    for line in done.notes:
        notes.print(f"note: {line}", markup=False, soft_wrap=True)


@app.command()
def formats(*, as_json: Json = False) -> None:
    """
    List the formats of other tools that are read and written.

    Example: unveil formats --json
    """
    from unveil.interop.conversion import listed

    rows = [dict(zip(("format", "holds", "ways", "what"), one, strict=True)) for one in listed()]
    if as_json:
        print_json({"formats": rows})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("format", "holds", "is", "what it is"):
        table.add_column(column)
    for row in rows:
        table.add_row(*map(Text, row.values()))  # no markup: [party, row] is what it says
    results.print(table)


def _as_json(out: Path, done: Converted) -> dict[str, Any]:
    return {
        "file": str(out), "from": done.source, "to": done.target, "holds": done.holds, "count": done.count,
        "m": done.m, "origin": done.origin, "headers": done.headers, "notes": list(done.notes),
    }  # fmt: skip
