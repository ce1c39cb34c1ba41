"""`unveil schema propose`: a schema for an owner's file, from the names of its columns and what stands in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unveil.cli.door import notes, print_json, say_lines, say_text
from unveil.cli.options import Force, Json
from unveil.cli.schema import commands
from unveil.cli.table_options import TwoReadings, reads_two_tables, tell

if TYPE_CHECKING:
    from unveil.encoding.planning.figures import SchemaFigures
    from unveil.encoding.planning.proposal import ProposedSchema
    from unveil.schema import Attribute

_BY = {"name": "by its name", "contents": "by its contents", "word": "as --column says"}
_APART = re.compile(r"[^a-z0-9]+")


@commands.command()
@reads_two_tables
def propose(
    file: Annotated[Path, typer.Argument(help="an owner's records", show_default=False)],
    *,
    other: Annotated[
        Path | None, typer.Option(help="the other owner's records, where both can be had", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="schema file to write; printed if not given")] = None,
    readings: TwoReadings,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """
    Propose a schema for a file: attributes with their roles, hash positions, weights, and blocking keys.

    Roles are proposed by names of columns, in several languages, and by what stands in them. Columns that say nothing
    about a person are left out, with the reason. Keys are chosen by how many people they find in copies of the records
    with the errors that are to be expected, and how many pairs they make. No value of a record is printed or written.

    Example: unveil schema propose people.csv --out mine.toml
    """
    _propose(file, other, out, readings, force=force, as_json=as_json)


@commands.command()
@reads_two_tables
def new(
    other: Annotated[Path | None, typer.Argument(metavar="[OTHER]", help="the other owner's records")] = None,
    *,
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="an owner's records", show_default=False)],
    out: Annotated[Path, typer.Option(help="schema file to write", show_default=False)],
    readings: TwoReadings,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """
    Write a schema for the files of one owner or two: types, roles and steps as they are found, and blocking keys.

    With two files the schema names the columns of both, so that either is read as it is. See `unveil schema propose`
    for what is found and how.

    Example: unveil schema new --from a.csv b.xlsx --out mine.toml
    """
    _propose(source, other, out, readings, force=force, as_json=as_json)


def _propose(
    file: Path, other: Path | None, out: Path | None, readings: TwoReadings, *, force: bool, as_json: bool
) -> None:
    from unveil.encoding.planning.written import schema_text
    from unveil.errors import SettingError
    from unveil.files.atomic import check_target, replacing

    if out is not None:
        check_target(out, overwrite=force)
    if other is None and readings[0] != readings[1]:
        raise SettingError("options for one of two files were given, and there is one", hint="leave -a and -b out")
    proposed, figures, unreadable = _proposed(file, other, readings, _name(out or file))
    text = schema_text(
        proposed, figures, source=file.name, other=None if other is None else other.name, unreadable=unreadable
    )
    if out is not None:
        with replacing(out, overwrite=force) as part:
            part.write_text(text, encoding="utf-8")
    if as_json:
        print_json(_as_json(proposed, figures, unreadable, out))
    elif out is None:
        say_text(text)
    else:
        say_lines(_summary(proposed, figures, unreadable, out))


def _proposed(
    file: Path, other: Path | None, readings: TwoReadings, name: str
) -> tuple[ProposedSchema, SchemaFigures, dict[str, str]]:
    from unveil.cli.progress import Stages
    from unveil.encoding.planning.figures import schema_figures
    from unveil.encoding.planning.proposal import propose as proposal
    from unveil.files.columns import read_columns

    with Stages(notes) as stages:
        stages.begin(f"reading {file}")
        own = read_columns(file, readings[0])
        if other is not None:
            stages.begin(f"reading {other}")
        theirs = None if other is None else read_columns(other, readings[1])
        found = proposal(
            own.columns,
            None if theirs is None else theirs.columns,
            name=name,
            record_id=readings[0].id,
            other_id=None if theirs is None else readings[1].id,
            said=readings[0].columns,
            other_said=None if theirs is None else readings[1].columns,
            dates=(readings[0].dates, readings[1].dates),
            stage=stages.begin,
        )
        figures = schema_figures(found.records, found.schema, other=found.other, stage=stages.begin)
    tell((*own.notes, *(theirs.notes if theirs else ())))
    for path, side in zip((file, other), found.warnings, strict=True):
        tell((), [f"{path}, {one}" for one in side])
    return found, figures, dict(own.unreadable)


def _name(path: Path) -> str:
    """A name for the schema, after its file."""
    slug = _APART.sub("-", path.stem.casefold()).strip("-")
    return slug if slug[:1].isalpha() else "proposed"


def _left_out(proposed: ProposedSchema, unreadable: dict[str, str]) -> dict[str, str]:
    return {name: column.left_out for name, column in proposed.columns.items() if column.left_out} | unreadable


def _as_json(
    proposed: ProposedSchema, figures: SchemaFigures, unreadable: dict[str, str], out: Path | None
) -> dict[str, Any]:
    from unveil.cli.schema_figures import figures_as_json

    return {
        "file": None if out is None else str(out),
        "schema": proposed.schema.model_dump(mode="json"),
        "roles": {attribute.source: attribute.role for attribute in proposed.schema.attributes},
        "left_out": _left_out(proposed, unreadable),
        "figures": figures_as_json(figures),
    }


def _meaning(attribute: Attribute, proposed: ProposedSchema) -> str:
    """What an attribute is, why, how it is read, and what the other file calls it."""
    read = "" if attribute.type == "text" else f", read as {attribute.type}"
    there = "".join(f"; there {name}" for name in attribute.other_columns)
    return f"{attribute.role}, {_BY[proposed.columns[attribute.source].by]}{read}{there}"


def _summary(proposed: ProposedSchema, figures: SchemaFigures, unreadable: dict[str, str], out: Path) -> list[str]:
    from unveil.encoding.planning.cautions import cautions

    schema = proposed.schema
    width = max(len(attribute.source) for attribute in schema.attributes)
    ids = " or ".join((schema.input.id, *schema.input.other_ids))
    lines = [f"schema for {figures.records:,} records written to {out}", f"record id    column {ids}"]
    lines += [f"  {a.source:<{width}}  {_meaning(a, proposed)}" for a in schema.attributes]
    lines += [f"left out     {name}: {reason}" for name, reason in _left_out(proposed, unreadable).items()]
    lines += [f"key          {key.name}: {key.pairs_per_record:.2g} pairs for each record" for key in figures.keys]
    if figures.lost is not None and figures.lost_worse is not None:
        lines.append(
            f"lost         {figures.lost:.2%} as assumed, {figures.lost_worse:.2%} if four times as much goes wrong"
        )
    remarks = [f"{name}: {column.remark}" for name, column in proposed.columns.items() if column.remark]
    lines += [f"warning: {one}" for one in [*remarks, *cautions(figures)]]
    return lines
