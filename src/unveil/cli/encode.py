"""`unveil encode`: an owner's records to a file of encodings."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, say
from unveil.cli.options import Force, Json, SchemaFile

if TYPE_CHECKING:
    from unveil.files.encoded import Encodings
    from unveil.schema import Schema

_IN_ORDER = (
    "the record ids follow the order of the file, so whoever gets the encodings can still sort them; "
    "ids that follow nothing would hide it"
)


@app.command()
def encode(
    file: Annotated[Path, typer.Argument(help="records: CSV (UTF-8) or Parquet", show_default=False)],
    *,
    key: Annotated[Path, typer.Option(help="key file, see unveil key new", show_default=False)],
    out: Annotated[Path, typer.Option(help="Parquet file to write", show_default=False)],
    schema: SchemaFile = None,
    project: Annotated[str, typer.Option(help="project; encodings of two projects never match")] = "default",
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
    from unveil.schema import built_in, load

    check_target(out, overwrite=force)
    secret = keyfile.read(key)
    encodings = _encodings(file, load(schema) if schema else built_in(), secret, project)
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


def _encodings(file: Path, schema: Schema, secret: bytes, project: str) -> Encodings:
    from unveil.encoding.encoder import Encoder
    from unveil.encoding.keys import OwnerKey
    from unveil.encoding.shuffling import DRAWN, ids_tell_order, shuffled
    from unveil.files.encoded import Encodings
    from unveil.files.read import read_records
    from unveil.safety.coins import SecretCoins

    with notes.status("reading records") as status:
        read = read_records(file, schema)
        records = shuffled(read, secrets.token_bytes(DRAWN * len(read)))
        status.update(f"encoding {len(records)} records")
        encoder = Encoder(schema, OwnerKey(secret), project=project)
        # Secret coins: noise that could be drawn again could be taken off again.
        filters = encoder.record_level(records, rng=SecretCoins())
        status.update("hashing blocking keys")
        blocking = encoder.blocking_keys(records)
    if ids_tell_order(read.ids):
        notes.print(f"note: {_IN_ORDER}", markup=False, soft_wrap=True)
    metadata = _metadata(schema, project, encoder.fingerprint().hex())
    return Encodings(records.ids, filters, encoder.m, blocking, metadata)


def _metadata(schema: Schema, project: str, fingerprint: str) -> dict[str, str]:
    """What the file says about itself; no secret is among it."""
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "fingerprint": fingerprint,
        "project": project,
        "schema": schema.name,
        "schema_fingerprint": schema.fingerprint(),
        "encoding": schema.layer_r.model_dump_json(),
        "attributes": ",".join(schema.names),
        "blocking": ";".join(key.name for key in schema.blocking),
    }


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
