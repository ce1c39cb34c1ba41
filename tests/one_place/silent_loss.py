"""
How one register may write what the other one writes otherwise: a change of a file for each, and what comes of it.

Of the same people in both files, either every record has the same encodings, or a column is warned of by its name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from unveil.lab.synthetic import exported, generate

Row = dict[str, str]
SAME, WARNED = "the same encodings", "a warning that names the column"

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_1970: Final = 719_163  # in Python's count
_SERIAL: Final = 693_594  # the day before a spreadsheet's first one, in Python's count
_ASCII: Final = str.maketrans({"Ä": "A", "Ö": "O", "Ü": "U", "ß": "ss", "ä": "a", "ö": "o", "ü": "u"})
_TWO: Final = str.maketrans({"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ä": "ae", "ö": "oe", "ü": "ue"})


@dataclass(frozen=True)
class Case:
    """What the other file does differently in a column; `codec` is how it is written."""

    words: str
    column: str
    change: Callable[[str, int], str]
    outcome: str = SAME
    codec: str = "utf-8"
    said: tuple[str, ...] = ()  #: what the person who reads the file says of it
    apart: Callable[[Row], Row] | None = None  #: the row with the column taken apart into several


def people() -> list[Row]:
    """Generated people with the names that make trouble."""
    made = exported(generate(records=250, overlap=0.1, layout="clinic", seed=9), seed=9, repeated=0, gaps=0).a
    columns = {name: column.values() for name, column in made.columns.items()}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    for at, row in enumerate(rows):
        row["record_id"] = f"r{at}"
        row["first_name"], row["last_name"] = row["first_name"].title(), row["last_name"].title()
        row["street"] = f"{at % 90 + 1} {row['street'].split(' ', 1)[1].title()}"
        last = row["last_name"]
        row["last_name"] = (last, f"O'{last}", f"{last}-Groß", f"Van Der {last}")[at % 4 if at % 5 == 0 else 0]
        row["first_name"] += " Anna" if at % 7 == 0 else ""
    return rows


def _parts(value: str) -> tuple[int, int, int]:
    year, month, day = map(int, value.split("-"))
    return year, month, day


def _written(form: str) -> Callable[[str, int], str]:
    def change(value: str, _: int) -> str:
        year, month, day = _parts(value)
        return form.format(y=year, m=month, d=day, yy=year % 100, month=_MONTHS[month - 1])

    return change


def _serial(value: str, _: int) -> str:
    year, month, day = _parts(value)
    return str(date(year, month, day).toordinal() - _SERIAL)


def _exchanged(value: str, _: int) -> str:
    """What a spreadsheet of another country makes of 09.01.1944: the ninth month, where there is one; else a text."""
    year, month, day = _parts(value)
    return f"{year}-{day:02d}-{month:02d}" if day <= 12 else f"{day:02d}.{month:02d}.{year}"


def _first_days(value: str, _: int) -> str:
    year, month, day = _parts(value)
    return f"{day % 12 + 1:02d}/{month:02d}/{year}"


_POLISH: Final = (
    "stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września", "października",
    "listopada", "grudnia",
)  # fmt: skip
_TURKISH: Final = (
    "Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık",
)  # fmt: skip


def _in_words(months: Sequence[str]) -> Callable[[str, int], str]:
    def change(value: str, _: int) -> str:
        year, month, day = _parts(value)
        return f"{day} {months[month - 1]} {year}"

    return change


def _since(first: int, times: int = 1) -> Callable[[str, int], str]:
    """The days since the first one, in a unit of which a day has so many."""
    return lambda value, _: str((date(*_parts(value)).toordinal() - first) * times)


def _evening(value: str, _: int) -> str:
    return f"{date.fromordinal(date(*_parts(value)).toordinal() - 1)}T23:00:00Z"


def _long(value: str, _: int) -> str:
    return date(*_parts(value)).strftime("%A, %d %B %Y")


def _mixed(value: str, at: int) -> str:
    return value if at % 2 else ".".join(reversed(value.split("-")))


def _aged(value: str, _: int) -> str:
    return str(2024 - _parts(value)[0])


def _buddhist(value: str, _: int) -> str:
    year, month, day = _parts(value)
    return f"{day:02d}/{month:02d}/{year + 543}"


def _three_dates(row: Row) -> Row:
    year, month, day = _parts(row[BIRTH])
    rest = {name: value for name, value in row.items() if name != BIRTH}
    return {**rest, "Geburtstag": str(day), "Geburtsmonat": str(month), "Geburtsjahr": str(year)}


def _two_of_street(row: Row) -> Row:
    number, street = row[STREET].split(" ", 1)
    return {**row, STREET: street, "house_no": number}


def _mapped(words: Mapping[str, str]) -> Callable[[str, int], str]:
    return lambda value, _: words.get(value, value)


def _each(change: Callable[[str], str]) -> Callable[[str, int], str]:
    return lambda value, _: change(value)


def _some(change: Callable[[str], str], every: int = 5) -> Callable[[str, int], str]:
    return lambda value, at: change(value) if at % every == 0 else value


def _mojibake(value: str) -> str:
    return value.encode("utf-8").decode("cp1252", "replace")


def _lost(value: str) -> str:
    return value.encode("ascii", "replace").decode()


def _without_particle(value: str) -> str:
    return value.removeprefix("Van Der ")


BIRTH, FIRST, LAST, CODE, SEX, STREET, TOWN = (
    "date_of_birth", "first_name", "last_name", "postcode", "sex", "street", "city",
)  # fmt: skip

CASES: Final[tuple[Case, ...]] = (
    Case("days as 09.01.1944", BIRTH, _written("{d:02d}.{m:02d}.{y}")),
    Case("days as 9.1.1944", BIRTH, _written("{d}.{m}.{y}")),
    Case("days as 9/1/1944, the day first", BIRTH, _written("{d}/{m}/{y}")),
    Case("days as 1/9/1944, the month first", BIRTH, _written("{m}/{d}/{y}")),
    Case("days as 19440109", BIRTH, _written("{y}{m:02d}{d:02d}")),
    Case("days as 9 Jan 1944", BIRTH, _written("{d} {month} {y}")),
    Case("days as 1944-01-09 00:00:00", BIRTH, _written("{y}-{m:02d}-{d:02d} 00:00:00")),
    Case("days as a spreadsheet's number, 16080", BIRTH, _serial),
    Case("days with years of two digits", BIRTH, _written("{d:02d}.{m:02d}.{yy:02d}"), WARNED),
    Case("days of which none tells the order", BIRTH, _first_days, WARNED),
    Case("days exchanged with months by a spreadsheet", BIRTH, _exchanged, WARNED),
    Case("days in the place of unknown ones, as 1900-01-01", BIRTH, _some(lambda _: "1900-01-01"), WARNED),
    Case("days that cannot be read", BIRTH, _some(lambda _: "not told"), WARNED),
    Case("the years alone", BIRTH, _written("{y}"), WARNED),
    Case("days as 1944-01-09T00:00:00Z", BIRTH, _written("{y}-{m:02d}-{d:02d}T00:00:00Z")),
    Case("days as the evening before in universal time, 1944-01-08T23:00:00Z", BIRTH, _evening),
    Case("days as 19440109000000+0100", BIRTH, _written("{y}{m:02d}{d:02d}000000+0100")),
    Case("days as Sunday, 09 January 1944", BIRTH, _long),
    Case("days as 9th Jan 1944", BIRTH, _written("{d}th {month} {y}")),
    Case("days as 9. 1. 1944.", BIRTH, _written("{d}. {m}. {y}.")),
    Case("days as 9 stycznia 1944, in Polish", BIRTH, _in_words(_POLISH)),
    Case("days as 9 Ocak 1944, in Turkish", BIRTH, _in_words(_TURKISH)),
    Case("days as 1944年1月9日", BIRTH, _written("{y}年{m}月{d}日")),
    Case("days in two notations, 09.01.1944 and 1944-01-09", BIRTH, _mixed),
    Case("days in three columns, Geburtstag, Geburtsmonat and Geburtsjahr", BIRTH, _each(str), apart=_three_dates),
    Case("days as seconds since 1970", BIRTH, _since(_1970, 86_400)),
    Case("days as milliseconds since 1970", BIRTH, _since(_1970, 86_400_000)),
    Case("days as days since 1970", BIRTH, _since(_1970), WARNED),
    Case("ages in the place of days", BIRTH, _aged, WARNED),
    Case("days with years of the Buddhist calendar", BIRTH, _buddhist, WARNED),
    Case("postal codes with a sign between thousands, 4,103", CODE, _each(lambda value: f"{int(value):,}")),
    Case("postal codes behind an apostrophe, '04103", CODE, _each(lambda value: f"'{value}")),
    Case("postal codes as 4.1E+03", CODE, _each(lambda value: f"{int(value):.1E}"), WARNED),
    Case("postal codes without their leading zeros", CODE, _each(lambda value: str(int(value)))),
    Case("postal codes as decimals, 4103.0", CODE, _each(lambda value: f"{int(value)}.0")),
    Case("postal codes with their country, D-04103", CODE, _each(lambda value: f"D-{value}")),
    Case("postal codes cut off after three digits", CODE, _each(lambda value: value[:3]), WARNED),
    Case('text as spreadsheets write it, ="00501"', CODE, _each(lambda value: f'="{value}"')),
    Case("sex as m and w", SEX, _mapped({"M": "m", "F": "w"})),
    Case("sex as male and female", SEX, _mapped({"M": "male", "F": "female"})),
    Case("sex as Herr and Frau", SEX, _mapped({"M": "Herr", "F": "Frau"})),
    Case("sex as 1 and 2", SEX, _mapped({"M": "1", "F": "2"})),
    Case("sex as Erkek and Kadın", SEX, _mapped({"M": "Erkek", "F": "Kadın"})),
    Case("sex as E and K", SEX, _mapped({"M": "E", "F": "K"})),
    Case("sex as муж and жен", SEX, _mapped({"M": "муж", "F": "жен"})),
    Case("sex as true and false", SEX, _mapped({"M": "true", "F": "false"}), WARNED),
    Case("sex as 0 and 1", SEX, _mapped({"M": "0", "F": "1"}), WARNED),
    Case("a file in Latin-1", LAST, _each(str), codec="latin-1"),
    Case("a file in UTF-16", LAST, _each(str), codec="utf-16"),
    Case("a file in the code page of DOS", LAST, _each(str), codec="cp850"),
    Case("letters composed of two signs, as on a Mac", LAST, _each(lambda value: unicodedata.normalize("NFD", value))),
    Case("letters spoilt by a wrong encoding, MÃ¼ller", LAST, _each(_mojibake), WARNED),
    Case("letters lost by a wrong encoding, M?ller", LAST, _each(_lost), WARNED),
    Case("umlauts written out, Mueller", LAST, _each(lambda value: value.translate(_TWO))),
    Case("umlauts left out, Muller", LAST, _each(lambda value: value.translate(_ASCII))),
    Case("capital letters", LAST, _each(str.upper)),
    Case("blanks around and between", LAST, _each(lambda value: f"  {value.replace(' ', '  ')}\u00a0")),
    Case("titles before names, Dr. Müller", LAST, _some(lambda value: f"Dr. {value}")),
    Case("names without van der and the like", LAST, _each(_without_particle)),
    Case("OBrien without its apostrophe", LAST, _each(lambda value: value.replace("'", ""))),
    Case("O’Brien with another apostrophe", LAST, _each(lambda value: value.replace("'", "’"))),
    Case("double names with a blank", LAST, _each(lambda value: value.replace("-", " "))),
    Case("notes in brackets behind names", LAST, _some(lambda value: f"{value} (2)"), WARNED),
    Case("signs of web pages, O&#39;Brien", LAST, _some(lambda value: f"{value}&#39;s"), WARNED),
    Case("given names behind family names, Brien, Ann", LAST, _each(lambda value: f"{value}, Ann"), WARNED),
    Case("names cut off after five letters", LAST, _each(lambda value: value[:5]), WARNED),
    Case("the first of several given names alone", FIRST, _each(lambda value: value.split(" ")[0])),
    Case("initials in the place of given names", FIRST, _each(lambda value: f"{value[0]}."), WARNED),
    Case("NA and unknown in the place of gaps", TOWN, _some(lambda _: "unknown"), WARNED),
    Case("gaps in a third of a column", TOWN, _some(lambda _: "", every=3), WARNED),
    Case("streets and numbers in two columns", STREET, _each(str), apart=_two_of_street),
    Case("streets as Rd and Road", STREET, _each(lambda value: value.replace("Road", "Rd").replace("Street", "St"))),
    Case("given and family names exchanged", FIRST, _each(str), WARNED),
    Case("towns in the column of postal codes", CODE, _each(str), WARNED),
)  # fmt: skip
#: Columns whose contents stand in each other's place.
SWAPPED: Final = {
    "given and family names exchanged": (FIRST, LAST),
    "towns in the column of postal codes": (CODE, TOWN),
}


def changed(rows: list[Row], case: Case) -> list[Row]:
    """The same people as the other register writes them."""
    if case.words in SWAPPED:
        one, other = SWAPPED[case.words]
        return [{**row, one: row[other], other: row[one]} for row in rows]
    if case.apart is not None:
        return [case.apart(row) for row in rows]
    return [{**row, case.column: case.change(row[case.column], at)} for at, row in enumerate(rows)]
