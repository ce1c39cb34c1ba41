"""What the values of a column look like, in several notations and languages, and which role follows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.planning.column_roles import FITTING_CONTENTS, ColumnRole, column_roles, id_column
from unveil.encoding.planning.contents import CONTENTS, content_shares, year_span
from unveil.encoding.planning.copies import MISTAKES
from unveil.encoding.planning.facts import ColumnFacts, facts_of
from unveil.encoding.planning.key_choice import FIELDS
from unveil.errors import SettingError
from unveil.records import Column
from unveil.schema.attribute_roles import ROLES

COUNT = 400
RNG = np.random.default_rng(5)


def days(notation: str, first: int = 1930, last: int = 2015) -> list[str]:
    start = dt.date(first, 1, 1).toordinal()
    stop = dt.date(last, 12, 31).toordinal()
    return [dt.date.fromordinal(int(day)).strftime(notation) for day in RNG.integers(start, stop, COUNT)]


def drawn(values: str | Sequence[str]) -> list[str]:
    pool = values.split() if isinstance(values, str) else values
    return [pool[int(at)] for at in RNG.integers(len(pool), size=COUNT)]


def numbers(low: int, high: int, pattern: str = "{}") -> list[str]:
    return [pattern.format(int(number)) for number in RNG.integers(low, high, COUNT)]


def facts(values: Sequence[str]) -> ColumnFacts:
    return facts_of(Column.of(values))


def proposed(**columns: Sequence[str]) -> dict[str, ColumnRole]:
    rows = {"record_id": [f"r{row}" for row in range(COUNT)], **columns}
    return column_roles({name: facts(values) for name, values in rows.items()}, "record_id")


#: Columns whose names say nothing, by the role that their contents must lead to.
OPAQUE: dict[str, list[list[str]]] = {
    "birth_date": [days(n) for n in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d %b %Y", "%Y-%m-%d 00:00:00")],
    "birth_year": [numbers(1930, 2015)],
    "sex": [
        drawn("M F"),
        drawn("m w d"),
        drawn("Male Female"),
        drawn("männlich weiblich"),
        drawn("H F"),
        drawn("hombre mujer"),
    ],
    "email": [numbers(1, 10**6, "user{}@example.org")],
    "phone": [
        numbers(10**6, 10**7, "+49 30 {}"),
        numbers(10**6, 10**7, "0{}"),
        numbers(1000, 9999, "(555) 123-{}"),
        numbers(1000, 9999, "555-123-{}"),
    ],
    "postcode": [
        drawn([str(code) for code in range(10115, 10215)]),
        drawn([f"SW{at}A {at}BB" for at in range(1, 10)] + [f"M{at} 1AE" for at in range(20, 60)]),
        drawn([f"{at} AB" for at in range(1010, 1110)]),
    ],
    "street": [
        numbers(1, 200, "{} Main Street"),
        numbers(1, 200, "Hauptstraße {}"),
        numbers(1, 200, "{} rue de la Paix"),
        numbers(1, 200, "Calle Mayor {}"),
        numbers(1, 200, "Kerkstraat {}"),
    ],
    "given_name": [
        drawn("JENNIFER Michael sarah Quilla Zeb"),
        drawn("Jürgen Karl Ursula Heike Wolfgang"),
        drawn("François Camille Thierry"),
    ],
    "family_name": [
        drawn("Smith Johnson Nguyen Quill"),
        drawn("Müller Schmidt Krüger Zacharias"),
        drawn("García López Ibarra"),
    ],
    "other": [drawn("Ashford Deepport Dovemoor Wexcombe Millbrook Kirkdale")],
}  # fmt: skip


@pytest.mark.parametrize(("role", "at"), [(role, at) for role, kinds in OPAQUE.items() for at in range(len(kinds))])
def test_contents_tell_the_role_where_the_name_does_not(role: str, at: int) -> None:
    """Columns are called c7, too."""
    assert role == proposed(c7=OPAQUE[role][at])["c7"].role


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("first_visit", days("%Y-%m-%d", 2015, 2020), "other"),
        ("birthday", numbers(1930, 2015), "birth_year"),
        ("year_of_birth", days("%d.%m.%Y"), "birth_date"),
        ("last", numbers(1, 200, "{} Main Street"), "street"),
        ("age", numbers(0, 99), "birth_year"),
        ("gender", drawn("1 2 9"), "sex"),
        ("Name", drawn("Ashford Zacharias Quill"), "family_name"),
        ("phone", drawn("yes no"), "other"),
    ],
)
def test_contents_contradict_a_name_that_is_wrong(name: str, values: list[str], role: str) -> None:
    """A date is no given name, whatever its column is called."""
    assert role == proposed(**{name: values})[name].role


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("country", ["DE"] * COUNT, "the same in every record"),
        ("suffix", ["Jr"] * 4 + [""] * (COUNT - 4), "empty in 99% of the records"),
        ("remarks", [f"{'word ' * 14}{at}" for at in range(COUNT)], "free text"),
        ("admitted", days("%Y-%m-%d", 2015, 2020), "nothing says that it is one of birth"),
        ("weight_kg", numbers(400, 1200, "{}.5"), "a measure"),
        ("case", [f"2024-{at:06d}" for at in range(COUNT)], "a number of its own"),
        ("active", drawn("yes no"), "its name says nothing known"),
        ("state", ["NC"] * 390 + ["SC"] * 10, "tells nobody apart"),
    ],
)  # fmt: skip
def test_columns_that_say_nothing_about_people_are_left_out(name: str, values: list[str], reason: str) -> None:
    """And the reason is given, so that somebody may disagree."""
    assert reason in str(proposed(**{name: values})[name].left_out)


def test_a_date_of_birth_makes_year_and_other_dates_superfluous() -> None:
    """A year that the date holds would count twice."""
    found = proposed(dob=days("%Y-%m-%d"), yob=numbers(1930, 2015), c3=days("%Y-%m-%d"), admitted=days("%d.%m.%Y"))
    assert None is found["dob"].left_out
    assert "dob says it already" == found["yob"].left_out
    assert found["c3"].left_out == found["admitted"].left_out == "a date, and nothing says that it is one of birth"


def test_of_two_columns_of_given_names_the_second_holds_second_names() -> None:
    """Where neither column's name says so."""
    names = drawn("Jennifer Michael Sarah")
    assert ["given_name", "middle_name"] == [one.role for one in proposed(c1=names, c2=names[::-1]).values()]
    assert ["given_name", "given_name"] == [
        one.role for one in proposed(first_name=names, vorname=names[::-1]).values()
    ]


def test_whole_names_stay_whole_and_are_remarked_on() -> None:
    """Two columns would link better, and only the owner can split them."""
    whole = [f"{one} {two}" for one, two in zip(drawn("Ann Zeb Cy"), drawn("Quill Marsh Dove"), strict=True)]
    column = proposed(name=whole)["name"]
    assert ("other", True) == (column.role, "two columns" in str(column.remark))


def test_the_record_id_is_the_likeliest_of_the_columns_that_identify() -> None:
    """A number that other registers have too would be lost as an attribute."""
    unique = facts([str(number) for number in range(50)])
    repeated = facts(["1", "1"])
    assert "record_id" == id_column({"ssn": unique, "serial": unique, "patient_id": unique, "record_id": unique})
    assert "patient_id" == id_column({"ssn": unique, "serial": unique, "patient_id": unique})
    assert "serial" == id_column({"ssn": unique, "serial": unique, "name": repeated})
    assert "ssn" == id_column({"ssn": unique})
    assert "serial" == id_column({"record_id": unique, "serial": unique}, "serial")
    with pytest.raises(SettingError, match="no column has a value of its own"):
        id_column({"name": repeated, "gap": facts(["1", ""])})
    with pytest.raises(SettingError, match=r"no column serail \(did you mean serial\?\)"):
        id_column({"serial": unique}, "serail")
    with pytest.raises(SettingError, match="column name is empty in a record, or the same in two"):
        id_column({"name": repeated}, "name")


@given(st.lists(st.text(max_size=12), max_size=20))
def test_shares_lie_between_none_and_all(values: list[str]) -> None:
    """Whatever the values are."""
    shares = content_shares(values)
    assert set(CONTENTS) == set(shares)
    assert all(0 <= share <= 1 for share in shares.values())
    assert year_span(values) >= 0


@given(st.lists(st.sampled_from(["", "a", "bb", "1984-05-12", "Ä"]), min_size=1, max_size=30))
def test_facts_count_what_is_there(values: list[str]) -> None:
    """Gaps, distinct values and lengths, by the definition."""
    found, present = facts(values), [value for value in values if value]
    assert values.count("") / len(values) == pytest.approx(found.missing)
    assert len(set(present)) == found.distinct
    assert sum(map(len, present)) / max(1, len(present)) == pytest.approx(found.length)


@pytest.mark.parametrize("table", [FITTING_CONTENTS, MISTAKES, FIELDS], ids=["contents", "mistakes", "fields"])
def test_every_role_has_its_row(table: dict[str, object]) -> None:
    """Adding a role means saying what its values are like, how they go wrong, and which keys they make."""
    assert set(ROLES) == set(table)


def test_shares_of_mistakes_add_up() -> None:
    """They are drawn from."""
    for mistakes in MISTAKES.values():
        assert 1 == pytest.approx(sum(share for _, share in mistakes))
