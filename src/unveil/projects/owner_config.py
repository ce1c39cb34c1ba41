"""
What an owner is told: the file `unveil.toml` in the owner's folder.

    project = "project.toml"
    name = "hospital-a"                   # the owner's name in the project file
    data = "people.csv"
    key = "project.key"                   # key_do, which the owners share
    policy = "policy.toml"                # what may leave; without it every wish of the protocol is answered
    database = "owner.sqlite"
    id = "patient"                        # column with the record ids; record_id if not given, row numbers them
    encoding = "windows-1252"             # how text is encoded, and what stands between values; found if not given
    delimiter = ";"
    header = true                         # whether the first line names the columns
    sheet = "Patients"                    # sheet of a workbook; the first if not given
    dates = "day-first"                   # what comes first, where a column of dates does not tell

    [columns]                             # attribute = column, where our file calls it otherwise
    last_name = "surname"

    [tls]
    certificate = "hospital-a.pem"
    key = "hospital-a.key"
    authority = "authority.pem"

Paths are relative to the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import tomli_w
from pydantic import Field

from unveil.errors import Problem, SettingError
from unveil.files.reading import AS_FOUND, Reading, first_in_dates
from unveil.projects.column_mapping import ColumnMapping
from unveil.projects.config_files import (
    DemonstrationFile,
    Tls,
    TlsFile,
    beside,
    database_problems,
    database_url,
    demonstration_problems,
    missing_file,
    tls_problems,
)
from unveil.schema import Input
from unveil.settings.base import Settings
from unveil.settings.patterns import COLUMN, NAME
from unveil.settings.reader import ProjectError, SettingsKind
from unveil.settings.reader import load as load_settings

FILE_NAME: Final = "unveil.toml"
_HINT: Final = "paths are relative to this file"
_HINT_AT: Final = {
    "demonstration": "the folder is that of a trial: pass --demonstration, which no real project needs",
}


class _OwnerFile(Settings):
    project: str = Field(min_length=1, description="project file")
    name: str = Field(pattern=NAME, description="name of this owner in the project file")
    data: str = Field(min_length=1, description="file of records")
    key: str = Field(min_length=1, description="key file, see unveil key new")
    policy: str | None = Field(None, min_length=1, description="policy file: what may leave")
    database: str = Field("owner.sqlite", min_length=1, description="file of this owner's database")
    id: str = Field(Input().id, pattern=COLUMN, description="column that identifies a record")
    encoding: str | None = Field(None, min_length=1, description="how text is encoded; found if not given")
    delimiter: str | None = Field(None, min_length=1, description="what stands between values; found if not given")
    header: bool = Field(True, description="whether the first line names the columns")
    sheet: str | None = Field(None, min_length=1, description="sheet of a workbook; the first if not given")
    dates: Literal["day-first", "month-first", "year-first"] | None = Field(
        None, description="what comes first, where a column of dates does not tell"
    )
    columns: dict[str, Annotated[str, Field(pattern=COLUMN)]] = Field(
        default_factory=dict, description="by attribute, the column of our file that it is read from"
    )
    tls: TlsFile = Field(description="this owner's certificate")
    demonstration: DemonstrationFile | None = Field(None, description="only with --demonstration")


@dataclass(frozen=True, slots=True)
class OwnerConfig:
    """What an owner is told, paths resolved and defaults filled in."""

    source: Path
    project: Path
    name: str
    data: Path
    key: Path
    policy: Path | None
    database: str = field(repr=False)  #: sqlite:///PATH or postgresql://…; may hold a password
    tls: Tls
    seed: int | None  #: of a demonstration
    columns: ColumnMapping = field(default_factory=ColumnMapping)
    reading: Reading = AS_FOUND  #: how the file of records is read; its columns stand in `columns`

    @classmethod
    def load(cls, path: Path, *, demonstration: bool = False) -> OwnerConfig:
        """The configuration in that file, or in `unveil.toml` in that folder, whose files are all there."""
        path = path / FILE_NAME if path.is_dir() else path
        folder = path.resolve().parent
        kind = SettingsKind(
            model=_OwnerFile,
            error=ProjectError,
            cross_check=lambda value: _cross_check(value, folder, demonstration=demonstration),
            hint=_HINT,
            hint_at=_HINT_AT,
        )
        file = load_settings(path, kind)
        return cls(
            source=path,
            project=beside(folder, file.project),
            name=file.name,
            data=beside(folder, file.data),
            key=beside(folder, file.key),
            policy=None if file.policy is None else beside(folder, file.policy),
            database=database_url(file.database, folder),
            tls=Tls.beside(folder, file.tls),
            seed=None if file.demonstration is None else file.demonstration.seed,
            columns=ColumnMapping(file.id, file.columns),
            reading=Reading(
                encoding=file.encoding,
                delimiter=file.delimiter,
                header=file.header,
                sheet=file.sheet,
                dates=first_in_dates(file.dates),
            ),
        )


def owner_text(
    *,
    project: str,
    name: str,
    data: str,
    key: str,
    tls: tuple[str, str, str],
    policy: str | None = None,
    columns: ColumnMapping | None = None,
    reading: Reading = AS_FOUND,
) -> str:
    """The text of an owner's configuration; `tls` names certificate, private key and authority."""
    certificate, tls_key, authority = tls
    given = {"project": project, "name": name, "data": data, "key": key, "policy": policy}
    plain = {word: value for word, value in given.items() if value is not None}
    tables = {"tls": {"certificate": certificate, "key": tls_key, "authority": authority}}
    return tomli_w.dumps({**plain, **_reading_data(reading), **columns_data(columns or ColumnMapping()), **tables})


def _reading_data(reading: Reading) -> dict[str, Any]:
    """The keys of a configuration that say how a file is read; none where everything is found."""
    given = {
        "encoding": reading.encoding,
        "delimiter": reading.delimiter,
        "header": None if reading.header else False,
        "sheet": reading.sheet,
        "dates": None if reading.dates is None else f"{reading.dates}-first",
    }
    return {word: value for word, value in given.items() if value is not None}


def columns_data(mapping: ColumnMapping) -> dict[str, Any]:
    """The keys of a configuration that say this mapping; none where every column is called by its attribute's name."""
    known = {} if mapping.id == Input().id else {"id": mapping.id}
    return {**known, "columns": dict(mapping.columns)} if mapping.columns else known


def _cross_check(file: _OwnerFile, folder: Path, *, demonstration: bool) -> list[Problem]:
    return [
        *missing_file("project", beside(folder, file.project)),
        *missing_file("data", beside(folder, file.data)),
        *missing_file("key", beside(folder, file.key)),
        *([] if file.policy is None else missing_file("policy", beside(folder, file.policy))),
        *database_problems(file.database),
        *tls_problems(folder, file.tls),
        *demonstration_problems(file.demonstration, demonstration=demonstration),
        *_reading_problems(file),
    ]


def _reading_problems(file: _OwnerFile) -> Iterator[Problem]:
    for key in ("encoding", "delimiter"):
        try:
            Reading(**{key: getattr(file, key)})
        except SettingError as error:
            yield Problem(key, "nothing that is known", str(error.hint))
