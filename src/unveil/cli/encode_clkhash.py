"""`unveil encode --clkhash-schema`: the CLKs of clkhash, as a file of ours or as clkhash writes it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from unveil.cli.door import notes, print_json, say
from unveil.cli.table_options import tell
from unveil.files.reading import Reading

if TYPE_CHECKING:
    from unveil.files.encoded import Encodings

_ROWS_TELL = (
    "the CLKs stand in the order of the file, as clkhash writes them: that of a sorted register tells who is who. "
    "A .parquet file is written in random order, with the ids"
)


def encode_for_clkhash(
    file: Path, *, schema: Path, secret: Path, out: Path, reading: Reading, force: bool, as_json: bool
) -> None:
    """Read, encode, write and tell."""
    from unveil.encoding.shuffling import ids_tell_order
    from unveil.files.encoded import write_encodings
    from unveil.interop.clk_files import clks_json
    from unveil.interop.clkhash_records import clkhash_encoded, read_for_clkhash, read_secret
    from unveil.interop.clkhash_schema import load_clkhash_schema
    from unveil.interop.encoding_files import write_text
    from unveil.one_place.encode import IN_ORDER

    read = load_clkhash_schema(schema)
    agreed = read_secret(secret)
    with notes.status("reading records") as status:
        table = read_for_clkhash(file, read, reading)
        status.update(f"encoding {len(table.records)} records")
        made = clkhash_encoded(table, read, agreed, now=datetime.now(UTC))
    if out.suffix.lower() == ".json":
        write_text(out, clks_json(made), overwrite=force)
        tell((*table.notes, _ROWS_TELL), read.warnings)
    else:
        made = _shuffled(made)
        write_encodings(
            out, ids=made.ids, filters=made.filters, m=made.m, blocking=made.blocking, metadata=made.metadata,
            overwrite=force,
        )  # fmt: skip
        tell((*table.notes, *([IN_ORDER] if ids_tell_order(table.records.ids) else [])), read.warnings)
    _report(out, made, as_json=as_json)


def _shuffled(made: Encodings) -> Encodings:
    """The same in random order: that of a sorted register would tell who is who."""
    import secrets
    from dataclasses import replace

    import numpy as np

    from unveil.encoding.shuffling import DRAWN, random_order

    order = random_order(len(made), secrets.token_bytes(DRAWN * len(made)))
    ids = [made.ids[row] for row in order.tolist()]
    return replace(made, ids=ids, filters=np.ascontiguousarray(made.filters[order]), blocking=made.blocking[order])


def _report(out: Path, made: Encodings, *, as_json: bool) -> None:
    import numpy as np

    fill = float(np.bitwise_count(made.filters).sum() / (len(made) * made.m))
    fingerprint = made.metadata["fingerprint"]
    if as_json:
        print_json(
            {
                "file": str(out), "records": len(made), "m": made.m, "blocking_keys": 0, "fill_rate": round(fill, 4),
                "fingerprint": fingerprint, "origin": made.origin,
            }
        )  # fmt: skip
        return
    say(f"{len(made)} records written to {out}, as clkhash encodes them")
    say(f"fill rate    {fill:.3f} of {made.m} bits")
    say(f"fingerprint  {fingerprint} (the other owner's must be the same, if Unveil encodes there, too)")
