"""Options that say how a table of records is read, the same for every command that takes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, get_type_hints

import typer

from unveil.cli.door import notes
from unveil.files.reading import Reading, first_in_dates

_OPTIONS: Final[dict[str, tuple[Any, object]]] = {
    "column": (
        Annotated[
            list[str] | None,
            typer.Option(
                metavar="ATTRIBUTE=COLUMN",
                help="column that an attribute is read from, if not the one of its name; can be repeated",
                show_default=False,
            ),
        ],
        None,
    ),
    "id_column": (
        Annotated[
            str | None,
            typer.Option("--id", metavar="COLUMN|row", help="column that identifies a record, or row to number them"),
        ],
        None,
    ),
    "encoding": (
        Annotated[str | None, typer.Option(help="how text is encoded, utf-8 or windows-1252; found if not given")],
        None,
    ),
    "delimiter": (
        Annotated[
            str | None,
            typer.Option(help="what stands between values, ; or tab; found if not given", show_default=False),
        ],
        None,
    ),
    "dates": (
        Annotated[
            str | None,
            typer.Option(
                metavar="day-first|month-first|year-first",
                help="what comes first, where a column of dates does not tell",
            ),
        ],
        None,
    ),
    "sheet": (
        Annotated[str | None, typer.Option(help="sheet of a workbook; the first if not given", show_default=False)],
        None,
    ),
    "no_header": (
        Annotated[bool, typer.Option("--no-header", help="no line names the columns; they are called 1, 2, 3, …")],
        False,
    ),
}


def reads_table(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options beside its own, which reach it as one `reading`."""
    own = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    parameters = [each for each in own.parameters.values() if each.name != "reading"]
    # Before what says how results are written.
    at = next((place for place, each in enumerate(parameters) if each.name in {"force", "as_json"}), len(parameters))
    parameters[at:at] = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _OPTIONS.items()
    ]

    def reading_command(**given: Any) -> None:
        said = {name: given.pop(name) for name in _OPTIONS}
        command(**given, reading=reading_of(**said))

    reading_command.__doc__, reading_command.__name__ = command.__doc__, command.__name__
    reading_command.__module__ = command.__module__
    annotations = {**hints, **{name: annotation for name, (annotation, _) in _OPTIONS.items()}}
    reading_command.__annotations__ = {each.name: annotations[each.name] for each in parameters} | {"return": None}
    parameters = [each.replace(annotation=annotations[each.name]) for each in parameters]
    reading_command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return reading_command


def reading_of(
    *,
    column: list[str] | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    dates: str | None = None,
    sheet: str | None = None,
    no_header: bool = False,
) -> Reading:
    """What the options say together."""
    from unveil.projects.column_mapping import ColumnMapping

    columns = ColumnMapping.given(column or ()).columns
    return Reading(
        encoding=encoding,
        delimiter=delimiter,
        header=not no_header,
        sheet=sheet,
        id=id_column,
        columns=columns,
        dates=first_in_dates(dates),
    )


def tell(said: Sequence[str], warnings: Sequence[str] = ()) -> None:
    """Say on stderr what people should know about how a table was read, and what may be lost."""
    for line in said:
        notes.print(f"note: {line}", markup=False, soft_wrap=True)
    for line in warnings:
        notes.print(f"warning: {line}", markup=False, soft_wrap=True)
