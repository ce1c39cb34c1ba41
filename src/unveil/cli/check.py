"""`unveil check`: a file of records looked at before anything is done with it, alone or against another's profile."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, say_lines
from unveil.cli.options import Force, Json
from unveil.cli.table_options import reads_table, tell
from unveil.files.reading import Reading

if TYPE_CHECKING:
    from unveil.encoding.planning.file_profile import ColumnProfile, FileProfile
    from unveil.encoding.planning.profile_differences import ProfileDifference

_BY = {"name": "by its name", "contents": "by its contents", "word": "as --column says"}


@app.command()
@reads_table
def check(
    file: Annotated[Path, typer.Argument(help="a file of records", show_default=False)],
    *,
    schema: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="a built-in schema, a file or a project file", show_default=False),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="the other owner's profile, which they made with --out", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="write the profile here, for the other owner; it holds no value")
    ] = None,
    reading: Reading,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """
    Look at a file of records: what its columns seem to be, how they are written, and what may go wrong.

    Every column is shown by format, gaps, distinct values and lengths, never by a value, with the attribute and type
    that are proposed for it and the reason. What is suspicious is warned of: dates that cannot be read, values in the
    place of missing ones, records that stand twice. With --schema columns are found for its attributes, and the options
    printed that say so. With --against formats, gaps and lengths of two owners' files are compared.

    Example: unveil check hospital.csv --out hospital.profile.json
    """
    from unveil.cli.progress import Stages
    from unveil.encoding.planning.profile_differences import profile_differences
    from unveil.files.atomic import check_target
    from unveil.runtime.owner.file_check import check_file, read_profile, schema_or_project, write_profile

    if out is not None:
        check_target(out, overwrite=force)
    theirs = None if against is None else read_profile(against)
    wanted = None if schema is None else schema_or_project(schema)
    with Stages(notes) as stages:
        stages.begin(f"reading {file}")
        profile, read = check_file(file, reading, wanted)
    tell(read.notes)
    differences = None if theirs is None else profile_differences(profile, theirs)
    if out is not None:
        write_profile(out, profile, overwrite=force)
    if as_json:
        said = {"file": None if out is None else str(out), **asdict(profile)}
        compared = None if differences is None else [asdict(one) for one in differences]
        print_json({**said, "differences": compared, "unreadable": dict(read.unreadable)})
        return
    say_lines(_lines(profile, dict(read.unreadable)))
    if schema is not None:
        say_lines(_mapping(profile))
    if differences is not None:
        say_lines(_differences(differences))
    if out is not None:
        say_lines([f"profile written to {out}; it holds no value, and the other owner may see it"])
    if schema is None:
        tell((f"unveil schema new --from {shlex.quote(str(file))} --out schema.toml writes this down",))


def _lines(profile: FileProfile, unreadable: dict[str, str]) -> Iterator[str]:
    number = "the numbers of the rows" if profile.record_id == "row" else f"column {profile.record_id}"
    yield f"{profile.records:,} records, identified by {number}"
    used = [one for one in profile.columns if one.attribute]
    width = max((len(one.column) for one in used), default=0)
    for one in used:
        yield f"  {one.column:<{width}}  {_meaning(one)}"
        yield f"  {'':<{width}}  {_look(one)}"
    for one in profile.columns:
        if one.attribute is None:
            yield f"left out: {one.column}, {one.left_out or 'no attribute of the schema'}"
    yield from (f"left out: {name}, {reason}" for name, reason in unreadable.items())
    for one in profile.columns:
        yield from (f"warning: column {one.column}: {sentence}" for sentence in one.warnings)
    if profile.repeated:
        share = profile.repeated / profile.records
        yield f"warning: {profile.repeated:,} records ({share:.1%}) are like another one in all of these columns"


def _meaning(one: ColumnProfile) -> str:
    read = "" if one.type == "text" else f", read as {one.type}"
    return f"{one.attribute}: {one.role.replace('_', ' ')} {_BY[one.by]}{read}"


def _look(one: ColumnProfile) -> str:
    written = f"{one.format} ({one.format_share:.0%})" if one.format else "empty"
    compared = f", compared as {one.sent}" if one.type != "text" and one.sent else ""
    lengths = f"{one.shortest} to {one.longest} characters"
    return f"{written}{compared}; {lengths}, {one.missing:.1%} missing, {one.distinct:,} distinct"


def _mapping(profile: FileProfile) -> Iterator[str]:
    """The options that say which columns the attributes are read from."""
    said = [
        f"--column {shlex.quote(f'{one.attribute}={one.column}')}"
        for one in profile.columns
        if one.attribute and one.attribute != one.column
    ]
    said += [f"--id {shlex.quote(profile.record_id)}"] if profile.record_id != "record_id" else []
    if said:
        yield f"columns: {' '.join(said)}"
    for name in profile.missing_attributes:
        yield f"warning: no column seems to be {name}: name it with --column {name}=COLUMN"


def _differences(found: tuple[ProfileDifference, ...]) -> Iterator[str]:
    for one in found:
        yield f"{'warning' if one.is_warning else 'note'}: {one.attribute}: {one.sentence}"
    if not any(one.is_warning for one in found):
        yield "nothing speaks against the two files fitting each other"
