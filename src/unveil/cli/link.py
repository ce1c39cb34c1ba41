"""`unveil link`: single-layer linkage of two files of encodings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, say
from unveil.cli.options import EngineName, Force, Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unveil.files.encoded import Encodings
    from unveil.linkage.pairs import Comparison, Pairs
    from unveil.protocol.data_warnings import DataWarning


@app.command()
def link(
    a: Annotated[Path, typer.Argument(help="encodings of one owner, from unveil encode", show_default=False)],
    b: Annotated[Path, typer.Argument(help="encodings of the other owner", show_default=False)],
    *,
    out: Annotated[Path, typer.Option(help="CSV file to write links to", show_default=False)],
    threshold: Annotated[float, typer.Option(help="pairs at or above this similarity are linked")] = 0.75,
    one_to_one: Annotated[
        bool, typer.Option("--one-to-one", help="keep only pairs that are each other's best match")
    ] = False,
    all_pairs: Annotated[bool, typer.Option("--all-pairs", help="compare every pair, without blocking")] = False,
    max_block: Annotated[int, typer.Option(help="blocks with more pairs than this are skipped")] = 1_000_000,
    engine: EngineName = "auto",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """
    Link two files of encodings by one threshold: the first layer alone, with nothing more disclosed.

    Example: unveil link hospital.parquet registry.parquet --threshold 0.78 --one-to-one --out links.csv
    """
    import numpy as np

    from unveil.errors import SettingError
    from unveil.files.atomic import check_target
    from unveil.files.encoded import read_encodings
    from unveil.files.write import write_links
    from unveil.linkage.clusters import symmetric_best
    from unveil.linkage.pairs import Pairs

    if not 0 < threshold <= 1:
        raise SettingError("the threshold must lie between 0 and 1", hint="0.75 suits the built-in schema")
    if max_block < 1:
        raise SettingError("--max-block must be at least 1")
    check_target(out, overwrite=force)
    left, right = read_encodings(a), read_encodings(b)
    _check_alike(left, right)
    found = _compare(left, right, threshold, engine=engine, all_pairs=all_pairs, max_block=max_block)
    pairs = found.pairs
    if one_to_one:
        best = np.flatnonzero(symmetric_best(pairs.left, pairs.right, pairs.similarity))
        pairs = Pairs(pairs.left[best], pairs.right[best], pairs.similarity[best])
    rows = zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True)
    write_links(out, ((left.ids[i], right.ids[j], round(sim, 6)) for i, j, sim in rows), overwrite=force)
    warnings = _data_warnings({str(a): left, str(b): right}, found.pairs)
    _report(out, found, len(pairs), warnings, as_json=as_json)


def _check_alike(left: Encodings, right: Encodings) -> None:
    """Encodings made under other keys or parameters look like random bits to each other."""
    from unveil.errors import SettingError

    same = left.metadata.get("fingerprint") == right.metadata.get("fingerprint")
    if not same or left.m != right.m or left.blocking.shape[1] != right.blocking.shape[1]:
        raise SettingError(
            "the two files were encoded with different keys, projects or schemas",
            hint="unveil encode prints a fingerprint: both owners' must be the same",
        )


def _compare(
    left: Encodings, right: Encodings, threshold: float, *, engine: str, all_pairs: bool, max_block: int
) -> Comparison:
    from unveil.cli.progress import Stages
    from unveil.engines import choose
    from unveil.linkage.bits import Bits
    from unveil.linkage.engine import Encoded, comparing

    encoded = [
        Encoded(Bits(part.filters, part.m), part.blocking[:, :0] if all_pairs else part.blocking)
        for part in (left, right)
    ]
    with Stages(notes) as stages:
        # How many candidates blocking leaves shows only as they are compared, so there is no time left to tell.
        total = len(left) * len(right) if all_pairs or not left.blocking.shape[1] else None
        stages.begin(f"comparing {len(left):,} and {len(right):,} records", total=total)
        compare = comparing(choose(engine), floor=threshold, max_block=max_block, progress=stages.reach)
        return compare(*encoded)


def _data_warnings(files: Mapping[str, Encodings], pairs: Pairs) -> list[DataWarning]:
    """What looks wrong: how full each file's filters are, and how keys agree in pairs that are each other's best."""
    import numpy as np

    from unveil.linkage.bits import Bits
    from unveil.linkage.clusters import symmetric_best
    from unveil.linkage.engine import Encoded
    from unveil.roles.record_unit.data_warnings import fill_warnings, key_warnings

    left, right = (Encoded(Bits(part.filters, part.m), part.blocking) for part in files.values())
    best = np.flatnonzero(symmetric_best(pairs.left, pairs.right, pairs.similarity))
    names = list(filter(None, next(iter(files.values())).metadata.get("blocking", "").split(";")))
    if len(names) != left.keys.shape[1]:
        names = [f"block_{key}" for key in range(left.keys.shape[1])]  # as the file calls them
    return [
        *fill_warnings(dict(zip(files, (left.filters, right.filters), strict=False))),
        *key_warnings(names, left, right, (pairs.left[best], pairs.right[best])),
    ]


def _report(out: Path, found: Comparison, links: int, warnings: list[DataWarning], *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "file": str(out),
                "links": links,
                "compared_pairs": found.compared,
                "skipped_blocks": found.skipped_blocks,
                "warnings": [warning.as_json() for warning in warnings],
            }
        )
        return
    say(f"{links:,} links written to {out}; {found.compared:,} pairs compared")
    if found.skipped_blocks:
        say(f"{found.skipped_blocks:,} blocks were too large and skipped: raise --max-block to include them")
    for warning in warnings:
        say(f"warning: {warning.sentence}")
