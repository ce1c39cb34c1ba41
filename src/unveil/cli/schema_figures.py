"""What `unveil schema check --data` prints: a schema held against an owner's records, in numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.cli.door import notes
from unveil.cli.table_options import tell

if TYPE_CHECKING:
    from unveil.encoding.planning.figures import AttributeFigures, SchemaFigures
    from unveil.files.reading import Reading
    from unveil.schema import Schema

_BY_NAME = "*"  # marks a role that the schema does not give


def measured(schema: Schema, data: Path, other: Path | None, reading: Reading) -> SchemaFigures:
    """
    The figures of a schema and one owner's file, or both's; what is being done is shown meanwhile.

    `reading` says columns of the owner's own file; those of the other one are the schema's.
    """
    from unveil.cli.progress import Stages
    from unveil.encoding.planning.figures import schema_figures
    from unveil.files.read import read_own

    with Stages(notes) as stages:
        stages.begin(f"reading {data}")
        own = read_own(data, schema, reading)
        theirs = None
        if other is not None:
            stages.begin(f"reading {other}")
            theirs = read_own(other, schema)
        records = None if theirs is None else theirs.records
        found = schema_figures(own.records, schema, other=records, stage=stages.begin)
    for each in (own, theirs):
        if each is not None:
            tell(each.notes, each.warnings)
    return found


def figures_as_json(figures: SchemaFigures) -> dict[str, Any]:
    """The figures with what to look at."""
    from unveil.encoding.planning.cautions import cautions

    return {**figures.as_json(), "warnings": cautions(figures)}


def figures_as_lines(figures: SchemaFigures) -> list[str]:
    """The figures as tables, then what to look at."""
    from unveil.encoding.planning.cautions import cautions

    found = cautions(figures)
    lines = [
        _heading(figures),
        *_table(_ATTRIBUTE, figures.attributes),
        *[f"{_BY_NAME} by the attribute's name; the schema gives no role"]
        * any(not a.role_given for a in figures.attributes),
        _record_level(figures),
        *_table(_KEY, figures.keys),
        *_losses(figures),
    ]
    return [*lines, "", *(f"warning: {one}" for one in found)] if found else lines


def _heading(figures: SchemaFigures) -> str:
    if figures.records_other is None:
        return f"{figures.records:,} records; between registers, they stand in for the other owner's"
    return f"{figures.records:,} records, and {figures.records_other:,} of the other owner"


def _record_level(figures: SchemaFigures) -> str:
    fitting = (
        "" if figures.fitting_h is None else f"; h = {figures.fitting_h} comes nearest to {figures.wanted_fill:.2f}"
    )
    return f"layer R: {figures.m} bits, {figures.fill:.2f} of them set with h = {figures.h}, before hardening{fitting}"


def _losses(figures: SchemaFigures) -> list[str]:
    if figures.lost is None or figures.lost_worse is None:
        return ["no keys: every pair is compared, and nobody is lost"]
    worst = sorted(figures.lost_to.items(), key=lambda one: -one[1])
    said = [f"  {share:6.1%}  {name}" for name, share in worst if share > 0] or ["  nobody, whichever befell them"]
    return [
        f"people lost by the keys: {figures.lost:.2%} if as much goes wrong as is assumed of each role,",
        f"  {figures.lost_worse:.2%} if four times as much does; if one thing befell everybody:",
        *said,
    ]


def _weight_by_data(one: AttributeFigures) -> str:
    return f"{'>' * one.weight_is_bound}{one.weight_by_data:.1f}"


def _missing(one: AttributeFigures) -> str:
    return f"{one.missing:.1%}" + ("" if one.missing_other is None else f", {one.missing_other:.1%}")


Columns = Sequence[tuple[str, Callable[[Any], str]]]
_ATTRIBUTE: Columns = (
    ("attribute", lambda one: one.name),
    ("role", lambda one: one.role + _BY_NAME * (not one.role_given)),
    ("missing", _missing),
    ("distinct", lambda one: f"{one.distinct:,}"),
    ("length", lambda one: f"{one.length:.1f}"),
    ("h", lambda one: str(one.h)),
    ("fill", lambda one: f"{one.fill:.2f}"),
    ("h for 0.40", lambda one: str(one.fitting_h)),
    ("weight", lambda one: f"{one.weight:g}"),
    ("by the data", _weight_by_data),
)
_KEY: Columns = (
    ("key", lambda one: one.name),
    ("records with it", lambda one: f"{one.has:.1%}"),
    ("pairs", lambda one: f"{one.pairs:,}"),
    ("for each record", lambda one: f"{one.pairs_per_record:.2f}"),
    ("pairs in the largest block", lambda one: f"{one.largest_block:,}"),
)
_LEFT = ("attribute", "role", "key")


def _table(columns: Columns, rows: Sequence[object]) -> list[str]:
    """The rows under their headings, words to the left and numbers to the right; nothing without rows."""
    if not rows:
        return []
    cells = [[name for name, _ in columns], *([text(row) for _, text in columns] for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(columns))]
    return [
        "",
        *(
            "  ".join(
                cell.ljust(width) if name in _LEFT else cell.rjust(width)
                for cell, width, (name, _) in zip(line, widths, columns, strict=True)
            ).rstrip()
            for line in cells
        ),
        "",
    ]
