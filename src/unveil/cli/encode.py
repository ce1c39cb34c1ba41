"""`unveil encode`: an owner's records to a file of encodings."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, say
from unveil.cli.options import Force, Json, SchemaName
from unveil.cli.table_options import reads_table, tell
from unveil.errors import SettingError
from unveil.files.reading import Reading

if TYPE_CHECKING:
    from unveil.files.encoded import Encodings
    from unveil.schema import Schema

_PROJECT = "default"
_LEAVE = "leave them out: the linkage schema of clkhash says all of it"


@app.command()
@reads_table
def encode(
    file: Annotated[Path, typer.Argument(help="records, see docs/files.md; - is standard input", show_default=False)],
    *,
    key: Annotated[
        Path,
        typer.Option(help="key file, see unveil key new; for clkhash a file with its secret", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="Parquet file to write; for clkhash also .json", show_default=False)],
    schema: SchemaName = None,
    clkhash_schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="linkage schema of clkhash, version 3: make the same CLKs as clkhash",
            show_default=False,
        ),
    ] = None,
    project: Annotated[str, typer.Option(help="project; encodings of two projects never match")] = _PROJECT,
    reading: Reading,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """
    Encode records for `unveil link`, which the owner or a trusted unit runs.

    The file keeps the owner's record ids, so that links can be traced back; between organisations the protocol sends
    random handles instead. Records are written in random order: that of a sorted register would tell who is who.

    Example: unveil encode people.csv --key project.key --out people.parquet
    """
    from unveil.files import key_file as keyfile
    from unveil.files.atomic import check_target
    from unveil.files.encoded import write_encodings
    from unveil.schema import named

    check_target(out, overwrite=force)
    if clkhash_schema is not None:
        from unveil.cli.encode_clkhash import encode_for_clkhash

        if schema is not None or project != _PROJECT:
            raise SettingError("--schema and --project: for encodings of Unveil, and these are clkhash's", hint=_LEAVE)
        encode_for_clkhash(
            file, schema=clkhash_schema, secret=key, out=out, reading=reading, force=force, as_json=as_json
        )
        return
    secret = keyfile.read(key)
    encodings = _encodings(file, reading, named(schema), secret, project)
    write_encodings(
        out,
        ids=encodings.ids,
        filters=encodings.filters,
        m=encodings.m,
        blocking=encodings.blocking,
        metadata=encodings.metadata,
        overwrite=force,
    )
    _report(out, encodings, as_json=as_json)


def _encodings(file: Path, reading: Reading, schema: Schema, secret: bytes, project: str) -> Encodings:
    from unveil.encoding.keys import OwnerKey
    from unveil.encoding.shuffling import ids_tell_order
    from unveil.files.read import read_own
    from unveil.one_place.encode import IN_ORDER, encoded

    with notes.status("reading records") as status:
        own = read_own(file, schema, reading)
        status.update(f"encoding {len(own.records)} records")
        made = encoded(own.records, schema, OwnerKey(secret), project=project, now=datetime.now(UTC))
    tell(own.notes, own.warnings)
    if ids_tell_order(own.records.ids):
        notes.print(f"note: {IN_ORDER}", markup=False, soft_wrap=True)
    return made


def _report(out: Path, encodings: Encodings, *, as_json: bool) -> None:
    import numpy as np

    fill = float(np.bitwise_count(encodings.filters).sum() / (len(encodings) * encodings.m))
    fingerprint = encodings.metadata["fingerprint"]
    if as_json:
        print_json(
            {
                "file": str(out),
                "records": len(encodings),
                "m": encodings.m,
                "blocking_keys": encodings.blocking.shape[1],
                "fill_rate": round(fill, 4),
                "fingerprint": fingerprint,
            }
        )
        return
    say(f"{len(encodings)} records written to {out}")
    say(f"fill rate    {fill:.3f} of {encodings.m} bits")
    say(f"fingerprint  {fingerprint} (the other owner's must be the same)")
