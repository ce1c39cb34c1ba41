"""`unveil join`: the owners' link tables become pairs, at whoever may join them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import print_json, say, say_lines
from unveil.cli.options import Json

commands = typer.Typer(help="join the owners' link tables, for whom the project file allows it", no_args_is_help=True)
app.add_typer(commands, name="join")


@commands.command()
def pairs(
    parts: Annotated[list[Path], typer.Argument(help="owners' parts, as they handed them over", show_default=False)],
    *,
    out: Annotated[Path, typer.Option(help="file to write, CSV or .parquet: two link ids a row", show_default=False)],
    key: Annotated[Path | None, typer.Option(help="the research centre's private key, where it joins")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace the file if it exists")] = False,
    as_json: Json = False,
) -> None:
    """
    Write which link ids of both owners belong together; and beside it, .quality.json, how good these links seem.

    Owners join together, each with a part that unveil owner results --join wrote; a research centre joins with its key.

    Example: unveil join pairs hospital-a.join hospital-b.join --out pairs.csv
    """
    from unveil.cli.quality_lines import quality_lines
    from unveil.files.atomic import check_target
    from unveil.files.write import write_id_pairs
    from unveil.runtime.joining import join_files
    from unveil.runtime.results_quality import ResultsQuality, quality_file, write_quality

    beside = quality_file(out)
    for file in (out, beside):
        check_target(file, overwrite=force)
    found = join_files(parts, key)
    header = (f"link_id_{found.owners[0]}", f"link_id_{found.owners[1]}")
    write_id_pairs(out, header, [(one.hex(), other.hex()) for one, other in found.pairs], overwrite=force)
    quality = None if found.estimate is None else ResultsQuality(len(found.pairs), 0, found.estimate)
    if quality is not None:
        write_quality(beside, quality, overwrite=force)
    if as_json:
        print_json(
            {
                "project": found.name, "owners": list(found.owners), "pairs": len(found.pairs), "file": str(out),
                "quality": None if quality is None else {"file": str(beside), **quality.as_json()},
            }
        )  # fmt: skip
        return
    say(f"{len(found.pairs)} pairs of link ids written to {out}")
    if quality is not None:
        say_lines(quality_lines(quality))


@commands.command("key")
def new_key(
    file: Annotated[Path, typer.Argument(help="file to make; one that exists is never replaced", show_default=False)],
    *,
    as_json: Json = False,
) -> None:
    """
    Make a research centre's private key, readable by you alone, and print the public key for the project file.

    Example: unveil join key centre.key
    """
    from unveil.runtime import joining

    public_key = joining.new_key(file)
    if as_json:
        print_json({"file": str(file), "public_key": public_key})
    else:
        say(f"private key written to {file}")
        say(f"public key   {public_key}")
        say("next: unveil project new --join research-centre --join-key PUBLIC_KEY", err=True)
