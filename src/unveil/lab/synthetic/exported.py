"""
The registers of a clinic layout as two hospitals export them: the same people, and hardly a value written alike.

One is a German system's text: semicolons, Latin-1, German headers, `09.01.1944`, titles before names. The other is a
workbook: other columns in another order, capital letters, umlauts written out, days as `1944-01-09`, postal codes as
numbers without their leading zeros. Both have records that stand twice, and gaps.
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.lab.synthetic.population import Registers
from unveil.lab.synthetic.workbook import write_workbook
from unveil.records import Column, Records

FILES: Final = ("hospital-a.csv", "hospital-b.xlsx", "truth.csv")
#: The attributes, in the order of a clean file.
_ATTRIBUTES: Final = ("first_name", "last_name", "date_of_birth", "sex", "street", "postcode", "city")
_WORDS: Final = ("first_name", "last_name", "street", "city")
#: How values of an attribute are written down.
Forms = Mapping[str, Callable[[str], str | None]]
_UMLAUTS: Final = {"A": "Ä", "O": "Ö", "U": "Ü"}
_WRITTEN_OUT: Final = str.maketrans({"Ä": "AE", "Ö": "OE", "Ü": "UE", "ß": "SS"})
_EVERY_UMLAUT: Final = 8  # one in so many names has one
_WITH_TITLE: Final = 0.03
_SEXES: Final = ({"M": "m", "F": "w"}, {"M": "male", "F": "female"})


@dataclass(frozen=True, slots=True, repr=False)
class Exported:
    """
    Both registers in one form, with gaps and repeated records, and how each hospital writes them down.

    `truth` has every pair of rows that are one person. `a` and `b` are the clean registers; `rows` gives a hospital's
    file as it would export them, the header first.
    """

    a: Records
    b: Records
    truth: NDArray[np.int64]
    titles: NDArray[np.bool_]

    def rows_of_a(self) -> list[list[str]]:
        """What the German system exports."""
        names = dict.fromkeys(_WORDS, _capitals)
        own: Forms = {**names, "sex": _SEXES[0].get, "date_of_birth": _german_day}
        columns = _columns(self.a, own)
        titled = zip(self.titles.tolist(), columns["last_name"], strict=True)
        columns["last_name"] = [f"Dr. {last}" if title and last else last for title, last in titled]
        header = {
            "last_name": "Nachname", "first_name": "Vorname", "date_of_birth": "Geburtsdatum", "sex": "Geschlecht",
            "street": "Straße", "postcode": "PLZ", "city": "Ort",
        }  # fmt: skip
        return _rows("PatNr", self.a.ids, header, columns)

    def rows_of_b(self) -> list[list[str]]:
        """What stands in the other hospital's workbook."""
        names = dict.fromkeys(_WORDS, _written_out)
        columns = _columns(self.b, {**names, "sex": _SEXES[1].get, "postcode": _as_number})
        header = {
            "first_name": "First name", "last_name": "Surname", "sex": "Gender", "date_of_birth": "DOB",
            "postcode": "Postal code", "city": "Town", "street": "Address",
        }  # fmt: skip
        return _rows("Case ID", self.b.ids, header, columns)


def exported(population: Registers, *, seed: int = 1, repeated: float = 0.1, gaps: float = 0.1) -> Exported:
    """The registers with that share of records standing twice under another id, and of values missing."""
    if "date_of_birth" not in population.a.columns:
        raise SettingError("exports are made of the clinic layout", hint="give --layout clinic")
    rng = np.random.default_rng(seed)
    again = [_again(len(side), repeated, rng) for side in (population.a, population.b)]
    a, b = (
        _with_gaps(_again_records(_localised(side), rows), gaps, rng)
        for side, rows in zip((population.a, population.b), again, strict=True)
    )
    person = [
        np.concatenate([np.arange(len(side)), rows])
        for side, rows in zip((population.a, population.b), again, strict=True)
    ]
    pairs = [
        (left, right)
        for one, other in population.truth.tolist()
        for left in np.flatnonzero(person[0] == one).tolist()
        for right in np.flatnonzero(person[1] == other).tolist()
    ]
    return Exported(a, b, np.array(pairs, dtype=np.int64).reshape(-1, 2), rng.random(len(a)) < _WITH_TITLE)


def write_exported(made: Exported, out: Path) -> None:
    """Write hospital-a.csv, hospital-b.xlsx and truth.csv into the folder, which is made if it is not there."""
    out.mkdir(parents=True, exist_ok=True)
    _write_text(out / FILES[0], made.rows_of_a(), delimiter=";", encoding="latin-1")
    write_workbook(out / FILES[1], made.rows_of_b(), numbers=("Postal code",))
    truth = [[made.a.ids[left], made.b.ids[right]] for left, right in made.truth.tolist()]
    _write_text(out / FILES[2], [["record_id_a", "record_id_b"], *truth], delimiter=",", encoding="utf-8")


def _write_text(path: Path, rows: Sequence[Sequence[str]], *, delimiter: str, encoding: str) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)


def _localised(records: Records) -> Records:
    """The people with umlauts in some of their names, and a postal code that follows from the town."""
    columns = dict(records.columns)
    for name in ("first_name", "last_name", "city"):
        columns[name] = Column.of(map(_with_umlaut, columns[name].values()))
    columns["postcode"] = Column.of(map(_code, records.columns["city"].values()))
    return Records(records.ids, columns)


def _with_umlaut(name: str) -> str:
    place = next((at for at, letter in enumerate(name) if letter in _UMLAUTS), None)
    if place is None or zlib.crc32(name.encode()) % _EVERY_UMLAUT:
        return name
    return f"{name[:place]}{_UMLAUTS[name[place]]}{name[place + 1 :]}"


def _code(town: str) -> str:
    return f"{zlib.crc32(town.encode()) % 40_000 + 1_000:05d}" if town else ""  # a quarter begins with 0


def _again(records: int, share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.sort(rng.choice(records, round(share * records), replace=False))


def _again_records(records: Records, rows: NDArray[np.int64]) -> Records:
    ids = [*records.ids, *(f"{records.ids[row]}-2" for row in rows.tolist())]
    columns = {
        name: Column(one.distinct, np.concatenate([one.codes, one.codes[rows]]))
        for name, one in records.columns.items()
    }
    return Records(ids, columns)


def _with_gaps(records: Records, share: float, rng: np.random.Generator) -> Records:
    columns = {}
    for name in _ATTRIBUTES:
        values = np.array(records.columns[name].values(), dtype=object)
        values[rng.random(len(values)) < share] = ""
        columns[name] = Column.of(values.tolist())
    return Records(records.ids, columns)


def _columns(records: Records, forms: Forms) -> dict[str, list[str]]:
    found = {}
    for name, column in records.columns.items():
        form = forms.get(name, str)
        found[name] = [(form(value) or "") if value else "" for value in column.values()]
    return found


def _rows(
    id_name: str, ids: Sequence[str], header: Mapping[str, str], columns: Mapping[str, Sequence[str]]
) -> list[list[str]]:
    cells = zip(ids, *(columns[name] for name in header), strict=True)
    return [[id_name, *header.values()], *(list(row) for row in cells)]


def _capitals(value: str) -> str:
    return value.title()


def _written_out(value: str) -> str:
    return value.translate(_WRITTEN_OUT)


def _german_day(value: str) -> str:
    return ".".join(reversed(value.split("-")))


def _as_number(code: str) -> str:
    return str(int(code))
