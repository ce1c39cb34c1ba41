"""A party hears from its own command that its certificate will not do, before others hang up on it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from project_parts import with_files

from odd_certificates import ANY, CLIENT, DAY, SERVER, reissue
from unveil.files import key_file as keyfile
from unveil.projects.certificates import read_certificate
from unveil.projects.membership import Membership, owner_membership, unit_memberships
from unveil.projects.own_certificate import names_host
from unveil.projects.owner_config import OwnerConfig, owner_text
from unveil.projects.unit_config import UnitConfig
from unveil.protocol import roles
from unveil.settings.reader import ProjectError

HOSTS = ("rec.example.org",)
UNIT = """\
database = "unit.sqlite"

[tls]
certificate = "{listening}.pem"
key = "{listening}.key"
authority = "authority.pem"

[[projects]]
file = "project.toml"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with everybody's files; the certificates are then made anew for the same keys."""
    with_files(tmp_path)
    keyfile.new(tmp_path / "do.key")
    (tmp_path / "people.csv").write_text("record_id\n")
    return tmp_path


def as_owner(folder: Path, *, looking: bool = False, **certificate: Any) -> Membership:
    reissue(folder, "a", **certificate)
    tls = ("a.pem", "a.key", "authority.pem")
    text = owner_text(project="project.toml", name="a", data="people.csv", key="do.key", tls=tls)
    (folder / "unveil.toml").write_text(text, encoding="utf-8")
    return owner_membership(OwnerConfig.load(folder), looking=looking)


def as_unit(folder: Path, *, looking: bool = False, **certificate: Any) -> Membership:
    reissue(folder, "record-unit", **certificate)
    (folder / "unit.toml").write_text(UNIT.format(listening="record-unit"), encoding="utf-8")
    (member,) = unit_memberships(UnitConfig.load(folder / "unit.toml"), roles.RECORD_UNIT, looking=looking)
    return member


def told(error: pytest.ExceptionInfo[ProjectError]) -> list[tuple[str, str]]:
    """Keys and what is wrong, without the path."""
    return [(each.key, each.what.partition(": ")[2]) for each in error.value.problems]


@pytest.mark.parametrize("purposes", [None, [CLIENT], [CLIENT, SERVER]])
def test_an_owner_needs_client_authentication_and_nothing_more(folder: Path, purposes: Any) -> None:
    """A certificate that names no purpose is for all of them."""
    assert () == as_owner(folder, purposes=purposes).notes


@pytest.mark.parametrize("purposes", [None, [CLIENT, SERVER]])
def test_a_unit_listens_and_calls(folder: Path, purposes: Any) -> None:
    """With one certificate, which names its host."""
    assert () == as_unit(folder, purposes=purposes, signs=True, hosts=HOSTS).notes


@pytest.mark.parametrize("party", [as_owner, as_unit])
@pytest.mark.parametrize(
    ("begins", "ends", "words"), [(-3 * DAY, -DAY, "ended at 2"), (DAY, 3 * DAY, "begins at 2")], ids=["past", "future"]
)
def test_a_certificate_that_is_not_in_force_is_refused(
    folder: Path,
    party: Callable[..., Membership],
    begins: timedelta,
    ends: timedelta,
    words: str,
) -> None:
    """To the other side it looks like an attack, and to its holder like a broken network."""
    with pytest.raises(ProjectError) as found:
        party(folder, begins=begins, ends=ends, hosts=HOSTS)
    ((key, what),) = told(found)
    assert ("tls.certificate", True) == (key, what.startswith(words))


@pytest.mark.parametrize("party", [as_owner, as_unit])
def test_who_only_looks_needs_no_certificate_in_force(folder: Path, party: Any) -> None:
    """A ledger is read, and a project closed, years after the certificate has ended."""
    assert () == party(folder, looking=True, ends=-DAY, purposes=[SERVER]).notes


@pytest.mark.parametrize("certificate", [{"purposes": [SERVER]}, {"purposes": [ANY]}, {"signs": False}])
def test_an_owner_cannot_call_with_any_certificate(folder: Path, certificate: dict[str, Any]) -> None:
    """These are the ones that OpenSSL refuses at the unit."""
    with pytest.raises(ProjectError) as found:
        as_owner(folder, **certificate)
    assert [("tls.certificate", "cannot be used for client authentication")] == told(found)


@pytest.mark.parametrize(
    ("purposes", "sides"), [([CLIENT], ["server"]), ([SERVER], ["client"]), ([ANY], ["client", "server"])]
)
def test_a_unit_needs_both_purposes(folder: Path, purposes: Any, sides: list[str]) -> None:
    """Units call each other."""
    with pytest.raises(ProjectError) as found:
        as_unit(folder, purposes=purposes, hosts=HOSTS)
    assert [("tls.certificate", f"cannot be used for {side} authentication") for side in sides] == told(found)


def test_a_certificate_to_listen_with_needs_not_be_for_calls(folder: Path) -> None:
    """A unit in several projects listens with one certificate and calls with others; each has its own purpose."""
    reissue(folder, "record-unit", purposes=[CLIENT])
    text = UNIT.format(listening="review-unit") + 'certificate = "record-unit.pem"\nkey = "record-unit.key"\n'
    (folder / "unit.toml").write_text(text, encoding="utf-8")
    config = UnitConfig.load(folder / "unit.toml")
    reissue(folder, "review-unit", purposes=[SERVER], hosts=HOSTS)
    assert 1 == len(unit_memberships(config, roles.RECORD_UNIT))
    reissue(folder, "review-unit", purposes=[CLIENT], hosts=HOSTS)
    reissue(folder, "record-unit", purposes=[SERVER], ends=-DAY)
    with pytest.raises(ProjectError) as found:
        unit_memberships(config, roles.RECORD_UNIT)
    assert ["tls.certificate", "projects.0.certificate", "projects.0.certificate"] == [key for key, _ in told(found)]


@pytest.mark.parametrize(
    ("hosts", "words"),
    [(("127.0.0.1",), "is for 127.0.0.1, not for rec.example.org"), ((), "names no host, so not rec.example.org")],
)
def test_a_unit_must_be_reached_under_a_host_of_its_certificate(folder: Path, hosts: Any, words: str) -> None:
    """Callers hang up otherwise."""
    with pytest.raises(ProjectError) as found:
        as_unit(folder, hosts=hosts)
    assert [("tls.certificate", words)] == told(found)


@pytest.mark.parametrize("party", [as_owner, as_unit])
@pytest.mark.parametrize(
    ("left", "words"), [(13.5, "in 13 days"), (1.5, "in 1 day,"), (0.5, "today or tomorrow"), (14.5, None)]
)
def test_two_weeks_before_the_end_there_is_a_note(folder: Path, party: Any, left: float, words: str | None) -> None:
    """A new certificate takes its time."""
    notes = party(folder, ends=left * DAY, hosts=HOSTS).notes
    assert (0 if words is None else 1) == len(notes)
    assert all(f"ends {words}" in note for note in notes)


@pytest.mark.parametrize(
    ("hosts", "host", "named"),
    [
        (("a.example.org",), "a.example.org", True),
        (("A.Example.org",), "a.example.org", True),
        (("*.example.org",), "a.example.org", True),
        (("*.example.org",), "a.b.example.org", False),
        (("*.example.org",), "example.org", False),
        (("10.0.0.1", "::1"), "::1", True),
        (("10.0.0.1",), "10.0.0.2", False),
    ],
)
def test_hosts_are_compared_as_callers_do(folder: Path, hosts: Any, host: str, named: bool) -> None:  # noqa: FBT001
    """Or a certificate would be refused that works, or the other way round."""
    found = read_certificate(reissue(folder, "a", hosts=hosts))
    assert found.valid(datetime.now(UTC))
    assert named == names_host(found, host)
