"""`unveil generate`: make two registers of generated people, with the truth about them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, results
from unveil.cli.options import Json
from unveil.errors import SettingError

#: From about this many records per source on it may take more than two seconds.
_SLOW = 50_000


@app.command()
def generate(
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="folder for a.csv, b.csv and truth.csv", show_default=False)
    ],
    records: Annotated[int, typer.Option(metavar="N", help="records in each of the two sources")] = 10_000,
    overlap: Annotated[float, typer.Option(metavar="SHARE", help="share of the people who stand in both")] = 0.2,
    errors: Annotated[int, typer.Option(metavar="0|1|2", help="attributes at least unequal in a shared person")] = 1,
    seed: Annotated[int, typer.Option(metavar="S", help="the same seed gives the same files")] = 1,
    layout: Annotated[
        str, typer.Option(metavar="voter|clinic", help="columns of the registers: of the schema person, or clinic")
    ] = "voter",
    year_errors: Annotated[
        float, typer.Option(metavar="RATE", help="voter layout: share of shared people whose year of birth is off in b")
    ] = 0.0,
    as_exported: Annotated[
        bool,
        typer.Option("--as-exported", help="clinic layout: two hospitals' own files, which hardly write a value alike"),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="write into a folder that is not empty")] = False,
    as_json: Json = False,
) -> None:
    """
    Generate two registers of invented people, and the truth about who is who.

    Nobody in them exists, so they are safe to share; they are hard to link for the reasons that real registers are:
    moves, marriages, short forms, missing values, families under one roof.

    Voter registers fit the built-in schema person: names, year of birth, city, ZIP code, place of birth. Clinic
    registers fit the built-in schema clinic: first and last name, date of birth, sex, street, city; the date differs in
    2 % of the shared people.

    With --as-exported the clinics' people come as hospitals export them: hospital-a.csv with semicolons, in Latin-1,
    with German headers and dates; hospital-b.xlsx with other columns, other dates, and postal codes without their
    leading zeros. In both a tenth of the records stand twice, and a tenth of the values are missing.

    Example: unveil generate --records 50000 --overlap 0.2 --errors 1 --seed 7 --out demo
    """
    from unveil.lab.synthetic import Rates, exported, write, write_exported
    from unveil.lab.synthetic import generate as generate_population
    from unveil.lab.synthetic.exported import FILES as EXPORTS
    from unveil.lab.synthetic.write import FILES

    _check_folder(out, force=force)
    if not 0 <= year_errors <= 1:
        raise SettingError("--year-errors is outside what is allowed", hint="allowed: 0 to 1")
    if year_errors and layout != "voter":
        raise SettingError("--year-errors is for the voter layout", hint="leave it out, or give --layout voter")
    if as_exported and layout != "clinic":
        raise SettingError("--as-exported is for the clinic layout", hint="add --layout clinic")
    waiting = notes.status(f"generating 2 × {records:,} records") if records >= _SLOW else nullcontext()
    with waiting:
        population = generate_population(
            records=records,
            overlap=overlap,
            errors=errors,
            seed=seed,
            layout=layout,
            rates=Rates(year_of_birth=year_errors) if layout == "voter" else None,
        )
        try:
            if as_exported:
                write_exported(exported(population, seed=seed), out)
            else:
                write(population, out)
        except OSError as error:
            raise SettingError(f"cannot write to {out}: {error.strerror}") from None
    files = [str(out / name) for name in (EXPORTS if as_exported else FILES)]
    if as_json:
        print_json({"records": [records, records], "shared": len(population.truth), "seed": seed, "files": files})
        return
    results.print(f"2 × {records:,} records, {len(population.truth):,} shared people", markup=False)
    for file in files:
        results.print(f"  {file}", markup=False, soft_wrap=True)


def _check_folder(out: Path, *, force: bool) -> None:
    """Refuse to mix generated people with what is already there."""
    if out.exists() and not out.is_dir():
        raise SettingError(f"{out} is a file", hint="give a folder that is empty or not there yet")
    if not force and out.is_dir() and any(out.iterdir()):
        raise SettingError(f"{out} is not empty", hint="give another folder, or --force to write into this one")
