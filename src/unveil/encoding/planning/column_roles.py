"""
Which role each column of a file has, by its name and by what stands in it, and which columns are of no use.

A name is believed where the values do not contradict it; where it says nothing, or is contradicted, the values decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from unveil.encoding.planning.facts import ColumnFacts
from unveil.errors import SettingError
from unveil.schema.attribute_roles import ROLES, role_from_name, says_whole_name
from unveil.settings.mistakes import near

_OTHER: Final = "other"
#: In the place of a column: records are identified by the numbers of their rows.
ROW: Final = "row"
_EMPTY: Final = 0.95  # of the values missing: nothing can be learnt from the rest
_NEARLY_ALL: Final = 0.9
_OF_A_PERSON: Final = 3  # among ids
_FREE_TEXT: Final = 60  # characters
_ALIKE: Final = 0.9  # chance of agreement from which on an attribute tells nobody apart
_HARDLY_APART: Final = 0.2  # the same where nobody knows what the attribute says
_LIFETIME: Final = 40  # years that dates of birth span at least
_OF_BIRTH: Final = frozenset({"birth_date", "birth_year"})
#: Roles that few linkages can do without.
_NEEDED: Final = frozenset({"given_name", "family_name", "birth_date", "sex", "postcode", "street", "town"})
_GENERIC_NAME: Final = re.compile(
    r"(?:^|[^a-z]|full|patient|person|complete)(?:name|nomcomplet|namen|naam|namn|navn|nimi|nombrecompleto)(?:$|[^a-z])"
)
_ID: Final = re.compile(r"(?:^|[^a-z])(?:id|ids|uid|uuid|guid|key|nr|no|number|nummer|pk|rowid)(?:$|[^a-z])|id$")

#: By what a role was found: the column's name, its contents, or the word of a person.
Reason = Literal["name", "contents", "word"]


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """The role of a column, and by what it was found; `left_out` says why the column makes no attribute, if so."""

    role: str
    by: Reason
    left_out: str | None = None
    remark: str | None = None


#: What the values of a column must be like for its name to be believed.
FITTING_CONTENTS: Final[dict[str, Callable[[ColumnFacts], bool]]] = {
    "birthplace": lambda facts: facts.most_are("letters"),
    "birth_date": lambda facts: facts.shares["full date"] + facts.shares["numbered day"] >= 0.5,  # noqa: PLR2004
    "birth_year": lambda facts: facts.most_are("calendar year") or facts.most_are("age", 0.95),
    "birth_part": lambda facts: facts.most_are("day or month", 0.8),
    "sex": lambda facts: facts.distinct <= 12,  # noqa: PLR2004 - codes, some of them mistyped
    "middle_name": lambda facts: facts.most_are("words", 0.6),
    "given_name": lambda facts: facts.most_are("words", 0.6),
    "family_name": lambda facts: facts.most_are("words", 0.6),
    "house_number": lambda facts: facts.most_are("house number"),
    "street": lambda facts: facts.most_are("letters", 0.6),
    "postcode": lambda facts: facts.most_are("digits") and facts.length <= 11,  # noqa: PLR2004 - characters
    "town": lambda facts: facts.most_are("letters"),
    "region": lambda facts: facts.distinct <= max(100, facts.records / 4),
    "phone": lambda facts: facts.most_are("telephone"),
    "email": lambda facts: facts.most_are("e-mail"),
    "id_number": lambda facts: facts.most_are("digits") and facts.distinct >= facts.records * (1 - facts.missing) / 2,
    "other": lambda _: True,
}


def column_roles(
    columns: Mapping[str, ColumnFacts], id_column: str, *, said: Mapping[str, str] | None = None
) -> dict[str, ColumnRole]:
    """
    The role of every column but the record id, in the order of the file.

    `said` are columns that a person named, each with the attribute that it is: these are kept whatever they hold.
    """
    said = said or {}
    found = {name: _role(name, facts) for name, facts in columns.items() if name != id_column}
    for name, attribute in said.items():
        role = role_from_name(attribute)
        found[name] = ColumnRole(found[name].role if role == _OTHER else role, "word")
    found = _second_names(_whole_names(_names_by_name(found), columns))
    found = _one_date_of_birth(found, columns)
    used = {name: column if name in said else _of_use(column, columns[name]) for name, column in found.items()}
    return {name: column if name in said else _doubted(name, column, columns[name]) for name, column in used.items()}


def id_column(columns: Mapping[str, ColumnFacts], wanted: str | None = None, *, fallback: str | None = None) -> str:
    """
    The column that identifies a record: the wanted one, or the likeliest of those in which no value repeats.

    Where there is none, rows may be numbered if that is the `fallback`.
    """
    if wanted == ROW and ROW not in columns:
        return ROW
    if wanted is not None:
        return _checked_id(columns, wanted)
    unique = [name for name, facts in columns.items() if _identifies(facts)]
    if not unique and fallback == ROW:
        return ROW
    if not unique:
        hint = "name the column that identifies a record with --id, or number the rows with --id row"
        raise SettingError("no column has a value of its own in every record", hint=hint)
    return min(unique, key=lambda name: (_id_rank(name), list(columns).index(name)))


def _checked_id(columns: Mapping[str, ColumnFacts], wanted: str) -> str:
    if wanted not in columns:
        hint = "--id names a column of the file, or says row to number the records"
        raise SettingError(f"no column {wanted}{near(wanted, columns)}", hint=hint)
    if not _identifies(columns[wanted]):
        raise SettingError(f"column {wanted} is empty in a record, or the same in two", hint="ids must be unique")
    return wanted


def _identifies(facts: ColumnFacts) -> bool:
    return not facts.missing and facts.distinct == facts.records


def spoilt_ids(columns: Mapping[str, ColumnFacts]) -> list[str]:
    """Columns that are called ids and would be, but for a few records in which they are empty or repeat."""
    return [
        name
        for name, facts in columns.items()
        if _id_rank(name) <= 1 and not _identifies(facts) and facts.distinct >= _NEARLY_ALL * facts.records
    ]


def is_marked_id(name: str, values: Sequence[str]) -> bool:
    """Whether a column without repetitions may be a record's id, and is not what people have of their own."""
    return _id_rank(name) < _OF_A_PERSON and not any(" " in value or "@" in value for value in values)


def _id_rank(name: str) -> int:
    """How little a name looks like that of a record id; a number that other registers have too comes last."""
    plain = name.casefold().replace(" ", "_")
    if role_from_name(name) != _OTHER:
        return _OF_A_PERSON
    return 0 if plain.replace("_", "") in {"recordid", "recid"} else 1 if _ID.search(plain) else 2


def is_whole_name(name: str, *, several_words: bool) -> bool:
    """Whether a column of values of several words holds whole names, as it is called."""
    if not several_words:
        return False
    generic = role_from_name(name) == _OTHER and _GENERIC_NAME.search(name.casefold()) is not None
    return generic or says_whole_name(name)


def _role(name: str, facts: ColumnFacts) -> ColumnRole:
    by_name = role_from_name(name)
    if by_name != _OTHER and FITTING_CONTENTS[by_name](facts):
        return ColumnRole(by_name, "name")
    if by_name in _OF_BIRTH and facts.most_are("day or month", 0.8):
        return ColumnRole("birth_part", "name")
    by_contents = _role_from_contents(facts)
    if by_name == "birth_year" and by_contents == "birth_date":
        return ColumnRole("birth_date", "name")
    return ColumnRole(by_contents, "name" if by_name != _OTHER == by_contents else "contents")


def _doubted(name: str, column: ColumnRole, facts: ColumnFacts) -> ColumnRole:
    """The column with a remark where its name says what most linkages rest on, and its values say otherwise."""
    called = role_from_name(name)
    believed = column.role == called or {column.role, called} <= _OF_BIRTH | {"birth_part"}
    if called not in _NEEDED or column.remark is not None or (believed and column.left_out is None):
        return column
    if believed and facts.missing < _EMPTY:
        return column
    says = f"its name says {ROLES[called].sentence}"
    empty = facts.missing >= _EMPTY
    remark = f"{says}, and it is empty" if empty else f"{says}, and its values do not look like it"
    cure = {"birth_date": ": write dates as 1944-01-09"}.get(called, "") if not empty else ""
    return replace(column, remark=f"{remark}{', so it is left out' if column.left_out else ''}{cure}")


def _role_from_contents(facts: ColumnFacts) -> str:  # noqa: PLR0911 - one question after the other
    if facts.most_are("e-mail"):
        return "email"
    if facts.most_are("full date", 0.9) and facts.length > 6:  # noqa: PLR2004 - six digits may be any number
        return "birth_date"
    if facts.most_are("sex code", 0.95) and facts.most_are("male or female", 0.5):
        return "sex"
    if facts.most_are("calendar year", 0.95) and facts.years > _LIFETIME:
        return "birth_year"
    if facts.most_are("dialled"):
        return "phone"
    if facts.most_are("street", 0.5):
        return "street"
    if facts.most_are("postal code", 0.95) and facts.distinct > 20 and not facts.is_nearly_unique:  # noqa: PLR2004
        return "postcode"
    return _name_from_contents(facts)


def _name_from_contents(facts: ColumnFacts) -> str:
    given, family = facts.shares["common given name"], facts.shares["common family name"]
    if facts.most_are("words") and not facts.most_are("several words", 0.6):
        if given >= 0.1 and given > family:  # noqa: PLR2004 - the list holds the commonest names alone
            return "given_name"
        if family >= 0.04 and family > given:  # noqa: PLR2004
            return "family_name"
    return _OTHER


def _names_by_name(found: dict[str, ColumnRole]) -> dict[str, ColumnRole]:
    """Where a column is called a family name, others are none, whatever stands in them: occupations are names, too."""
    if not any(column.role == "family_name" and column.by != "contents" for column in found.values()):
        return found
    others = [name for name, column in found.items() if column.role == "family_name" and column.by == "contents"]
    return {name: replace(column, role=_OTHER) if name in others else column for name, column in found.items()}


def _second_names(found: dict[str, ColumnRole]) -> dict[str, ColumnRole]:
    """Take a further column of given names for second names, where no column's own name says which is which."""
    given = [name for name, column in found.items() if column.role == "given_name"]
    further = [name for name in given[1:] if found[name].by == "contents"]
    return {name: replace(column, role="middle_name") if name in further else column for name, column in found.items()}


def _whole_names(found: dict[str, ColumnRole], columns: Mapping[str, ColumnFacts]) -> dict[str, ColumnRole]:
    """Settle what a column is that is called a name and nothing more."""
    settled = dict(found)
    for name, column in found.items():
        called = _GENERIC_NAME.search(name.casefold()) or says_whole_name(name)
        if column.role == _OTHER and called and columns[name].most_are("words"):
            if columns[name].most_are("several words", 0.6):
                settled[name] = ColumnRole(
                    _OTHER, "name", remark="whole names: better two columns, given and family name"
                )
            elif "family_name" not in {other.role for other in settled.values()}:
                settled[name] = ColumnRole("family_name", "name")
    return settled


def _one_date_of_birth(found: dict[str, ColumnRole], columns: Mapping[str, ColumnFacts]) -> dict[str, ColumnRole]:
    """Leave out dates that are no dates of birth, and a year or an age beside the date."""
    settled = dict(found)
    named = [name for name, column in found.items() if column.role == "birth_date" and column.by != "contents"]
    guessed = [name for name, column in found.items() if column.role == "birth_date" and column.by == "contents"]
    kept = named or [name for name in guessed if columns[name].years > _LIFETIME][:1]
    for name in guessed:
        if name not in kept:
            reason = "a date, and nothing says that it is one of birth"
            settled[name] = ColumnRole(_OTHER, "contents", left_out=reason)
    if kept and min(columns[name].missing for name in kept) < 0.2:  # noqa: PLR2004 - else the year helps
        for name, column in found.items():
            if column.role == "birth_year":
                settled[name] = ColumnRole("birth_year", column.by, left_out=f"{kept[0]} says it already")
    return settled


def _of_use(column: ColumnRole, facts: ColumnFacts) -> ColumnRole:
    reason = column.left_out or _of_no_use(column.role, facts)
    return replace(column, left_out=reason)


def _of_no_use(role: str, facts: ColumnFacts) -> str | None:
    """Why a column of that role should make no attribute; None if it should."""
    nobody_knows = role == _OTHER
    chance = facts.agreement.chance
    reasons = {
        f"empty in {facts.missing:.0%} of the records": facts.missing >= _EMPTY,
        "the same in every record": facts.distinct <= 1,
        f"free text of {facts.length:.0f} characters": facts.length > _FREE_TEXT,
        f"tells nobody apart: two people agree with {chance:.0%}": chance > _ALIKE,
        "a measure, not a mark of a person": nobody_knows and facts.most_are("decimal", 0.3),
        "a number of its own for nearly every record; if other registers have the same one, add it as id_number": (
            nobody_knows and facts.is_nearly_unique and facts.most_are("digits", 0.5)
        ),
        f"its name says nothing known, and two people agree with {chance:.0%}": nobody_knows and chance > _HARDLY_APART,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)
