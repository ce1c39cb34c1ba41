"""Options that say how a table of records is read, the same for every command that takes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer

from unveil.cli.door import notes
from unveil.files.reading import AS_FOUND, Reading, first_in_dates

#: How the first and the second of two tables are read.
TwoReadings = tuple[Reading, Reading]

_BOTH: Final = "Files of records"
_ONE: Final = "One of the two files"
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
    "query": (
        Annotated[
            str | None,
            typer.Option(
                metavar="SQL", help="what to read, of sqlite:PATH, duckdb:PATH or postgresql://…", show_default=False
            ),
        ],
        None,
    ),
    "no_header": (
        Annotated[bool, typer.Option("--no-header", help="no line names the columns; they are called 1, 2, 3, …")],
        False,
    ),
}


def reads_table(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options beside its own, which reach it as one `reading`."""
    return _with_options(command, _OPTIONS, "reading", lambda said: reading_of(**said))


def reads_two_tables(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options for both tables and, with -a or -b, for one; they reach it as `readings`."""
    options = _for_both(_OPTIONS) | _for_one("a") | _for_one("b")
    return _with_options(command, options, "readings", lambda said: (_reading_of("a", said), _reading_of("b", said)))


def _for_both(options: Mapping[str, tuple[Any, object]]) -> dict[str, tuple[Any, object]]:
    return {name: (_in_panel(annotation, _BOTH), default) for name, (annotation, default) in options.items()}


def _for_one(side: str) -> dict[str, tuple[Any, object]]:
    """The options of one of the two files; what nobody says is as for both."""
    found: dict[str, tuple[Any, object]] = {}
    for name, (annotation, default) in _OPTIONS.items():
        kind, option = get_args(annotation)
        word = _word(name)
        one = typer.Option(f"{word}-{side}", metavar=option.metavar, help=f"{word} of file {side} alone")
        one.rich_help_panel, one.show_default = _ONE, False
        found[f"{name}_{side}"] = Annotated[kind, one], default
    return found


def _word(name: str) -> str:
    return "--id" if name == "id_column" else f"--{name.replace('_', '-')}"


def _in_panel(annotation: Any, panel: str) -> Any:
    kind, option = get_args(annotation)
    one = copy(option)
    one.rich_help_panel = panel
    return Annotated[kind, one]


def _reading_of(side: str, said: Mapping[str, Any]) -> Reading:
    both = {name: said[name] for name in _OPTIONS}
    own = {name: said[f"{name}_{side}"] for name in _OPTIONS}
    columns = {"column": [*(both["column"] or ()), *(own["column"] or ())]}
    return reading_of(**{name: own[name] or both[name] for name in _OPTIONS} | columns)


def _with_options(
    command: Callable[..., None],
    options: Mapping[str, tuple[Any, object]],
    handed: str,
    made: Callable[[Mapping[str, Any]], object],
) -> Callable[..., None]:
    """The command with these options beside its own; what is made of them reaches it under the name `handed`."""
    own = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    parameters = [each for each in own.parameters.values() if each.name != handed]
    # Before what says how results are written.
    at = next((place for place, each in enumerate(parameters) if each.name in {"force", "as_json"}), len(parameters))
    parameters[at:at] = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]

    def reading_command(**given: Any) -> None:
        said = {name: given.pop(name) for name in options}
        command(**given, **{handed: made(said)})

    reading_command.__doc__, reading_command.__name__ = command.__doc__, command.__name__
    reading_command.__module__ = command.__module__
    annotations = {**hints, **{name: annotation for name, (annotation, _) in options.items()}}
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
    query: str | None = None,
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
        query=query,
        id=id_column,
        columns=columns,
        dates=first_in_dates(dates),
    )


def said_of(readings: TwoReadings) -> dict[str, bool]:
    """By option, whether anything was said about how a table is read."""
    options = {"column": "columns", "id_column": "id", "no_header": "header"}
    found = {}
    for name in _OPTIONS:
        field = options.get(name, name)
        found[_word(name)] = any(getattr(each, field) != getattr(AS_FOUND, field) for each in readings)
    return found


def tell(said: Sequence[str], warnings: Sequence[str] = ()) -> None:
    """Say on stderr what people should know about how a table was read, and what may be lost."""
    for line in said:
        notes.print(f"note: {line}", markup=False, soft_wrap=True)
    for line in warnings:
        notes.print(f"warning: {line}", markup=False, soft_wrap=True)
