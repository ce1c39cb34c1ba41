"""People who log in: invitations, passwords, lock-out and visits, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from unveil.errors import SettingError
from unveil.storage.database import Database
from unveil.storage.people import LockedOut, PeopleStore, request_mark

NOW = 1_000_000.0
PASSWORD = "a sentence is easy to keep"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of the review unit."""
    url = (
        f"sqlite:///{tmp_path / 'log.sqlite'}" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    )
    with Database.open(url, role="review unit") as found:
        yield found


@pytest.fixture
def people(database: Database) -> PeopleStore:
    return database.people


def joined(people: PeopleStore, name: str = "ann", project: str = "stroke") -> str:
    """Somebody with a password; their id."""
    found = people.join(people.invite(project, "reviewer", name, until=NOW + 10), PASSWORD, NOW)
    assert found is not None
    return found.id


def test_an_invitation_is_used_once_before_its_end_and_kept_as_a_hash(people: PeopleStore, tmp_path: Path) -> None:
    """Whoever reads the database cannot log in."""
    secret = people.invite("stroke", "lead", "ann", until=NOW + 10)
    assert people.join(secret, PASSWORD, NOW + 11) is None
    found = people.join(secret, PASSWORD, NOW)
    assert found is not None
    assert ("ann", "lead", "stroke", True) == (found.name, found.role, found.project, found.joined)
    assert people.join(secret, PASSWORD, NOW) is None
    assert people.join("no secret", PASSWORD, NOW) is None
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("*"))
    assert secret.encode() not in kept
    assert PASSWORD.encode() not in kept


def test_a_new_invitation_sets_a_new_password_for_the_same_person(people: PeopleStore) -> None:
    """The log knows them by their id, which stays; whoever was logged in is so no more."""
    number = joined(people)
    found = people.log_in("stroke", "ann", PASSWORD, NOW)
    assert found is not None
    visit = people.begin_visit(found, NOW)
    again = people.join(people.invite("stroke", "reviewer", "ann", until=NOW + 10), "another long password", NOW)
    assert again is not None
    assert number == again.id
    assert people.visitor(visit, NOW) is None
    assert people.log_in("stroke", "ann", PASSWORD, NOW) is None
    assert people.log_in("stroke", "ann", "another long password", NOW) is not None


def test_wrong_passwords_lock_for_longer_and_longer(people: PeopleStore) -> None:
    """Four are free; the fifth locks for a minute, each further one for twice as long, an hour at most."""
    joined(people)
    now, waits = NOW, []
    for _ in range(4):
        assert people.log_in("stroke", "ann", "wrong", now) is None
    for _ in range(8):
        assert people.log_in("stroke", "ann", "wrong", now) is None
        locked = people.list()[0].locked_until
        waits.append(locked - now)
        with pytest.raises(LockedOut):
            people.log_in("stroke", "ann", PASSWORD, locked - 1)
        now = locked
    assert [60, 120, 240, 480, 960, 1920, 3600, 3600] == waits
    assert people.log_in("stroke", "ann", PASSWORD, now) is not None
    assert people.log_in("stroke", "ann", "wrong", now) is None, "and counting begins anew"


def test_nobody_logs_in_elsewhere_or_without_a_password(people: PeopleStore) -> None:
    joined(people)
    people.invite("stroke", "reviewer", "bob", until=NOW + 10)
    assert people.log_in("another", "ann", PASSWORD, NOW) is None
    assert people.log_in("stroke", "bob", "", NOW) is None
    assert people.log_in("stroke", "eve", PASSWORD, NOW) is None
    assert [("ann", True), ("bob", False)] == [(each.name, each.joined) for each in people.list()]


def test_a_visit_ends_when_nothing_is_done_and_at_the_end_of_the_day(people: PeopleStore) -> None:
    """Two hours without a step, twelve hours in any case, and at once when somebody logs out or is removed."""
    number = joined(people)
    person = people.log_in("stroke", "ann", PASSWORD, NOW)
    assert person is not None
    visit = people.begin_visit(person, NOW)
    now = NOW
    while now < NOW + 12 * 3600 - 3600:
        now += 3600
        found = people.visitor(visit, now)
        assert found is not None
        assert number == found.id
    assert people.visitor(visit, NOW + 12 * 3600) is None
    idle = people.begin_visit(person, NOW)
    assert people.visitor(idle, NOW + 2 * 3600) is None
    out, gone = people.begin_visit(person, NOW), people.begin_visit(person, NOW)
    people.end_visit(out)
    assert people.visitor(out, NOW) is None
    assert people.visitor(gone, NOW) is not None
    assert people.remove(number)
    assert not people.remove(number)
    assert people.visitor(gone, NOW) is None
    assert people.visitor("no secret", NOW) is None


@pytest.mark.parametrize("password", ["", "short", "x" * 257])
def test_passwords_of_odd_lengths_are_refused_and_the_invitation_stays(people: PeopleStore, password: str) -> None:
    secret = people.invite("stroke", "reviewer", "ann", until=NOW + 10)
    with pytest.raises(SettingError, match="12 to 256"):
        people.join(secret, password, NOW)
    assert people.join(secret, PASSWORD, NOW) is not None


def test_names_are_short_and_can_be_printed(people: PeopleStore) -> None:
    """They stand in lists at terminals and on pages."""
    for name in ("", " ", "a\x1b[2J", "x" * 65):
        with pytest.raises(SettingError, match="printable"):
            people.invite("stroke", "reviewer", name, until=NOW)
    with pytest.raises(SettingError, match="reviewer or a lead"):
        people.invite("stroke", "operator", "ann", until=NOW)


def test_the_mark_of_a_page_follows_from_its_visit_alone() -> None:
    assert request_mark("one") == request_mark("one") != request_mark("two")
    assert "one" not in request_mark("one")
