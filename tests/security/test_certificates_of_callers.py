"""Certificates at the real units: whoever is not in the project by its public key does not get in."""

from __future__ import annotations

import datetime as dt
import socket
import ssl
from contextlib import suppress
from pathlib import Path

import pytest
from live_units import Line, LiveUnits, parted, undated
from test_authorisation import REFUSAL

from patience import PATIENCE
from unveil.errors import UnveilError
from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.projects import pki
from unveil.transport.failures import Refused, Unreachable
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context


def _refused_by_tls(units: LiveUnits, unit: str, context: ssl.SSLContext) -> bool:
    """Whether the connection ends before anything is answered."""
    try:
        with Line(units.address(unit), context) as line:
            return b"" == line.ask("GET", "/v1/projects/alpha")
    except (ssl.SSLError, ConnectionError):  # the alert may be overtaken by the end of the connection
        return True


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_a_listed_certificate_gets_in(units: LiveUnits, unit: str) -> None:
    """The control for everything below."""
    with units.line(unit, "alpha-north") as line:
        assert 200 == parted(line.ask("GET", "/v1/projects/alpha"))[0]


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_plain_http_is_not_answered(units: LiveUnits, unit: str) -> None:
    """Not even with a redirect, which would invite callers to try it."""
    with socket.create_connection(units.address(unit), timeout=PATIENCE) as plain:
        got = b""
        with suppress(ConnectionError):  # cut off rather than closed
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: unit\r\n\r\n")
            while part := plain.recv(4096):
                got += part
    assert b"HTTP" not in got


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_a_certificate_of_another_authority_ends_the_connection(units: LiveUnits, unit: str, tmp_path: Path) -> None:
    """Even under the name of a party."""
    pki.new_authority(tmp_path / "other")
    false = pki.issue(tmp_path / "other", "alpha-north")
    context = client_context(Credentials(units.folder.authority, false.certificate, false.key))
    assert _refused_by_tls(units, unit, context)


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_certificates_out_of_force_end_the_connection(units: LiveUnits, unit: str) -> None:
    """Expired, and not yet in force."""
    now, day = dt.datetime.now(dt.UTC), dt.timedelta(days=1)
    folder = units.folder.root / "pki"
    for name, begins, ends in (("expired", now - 3 * day, now - day), ("not-yet", now + day, now + 3 * day)):
        made = pki.issue(folder, f"{name}-{unit}", not_before=begins, not_after=ends)
        context = client_context(Credentials(units.folder.authority, made.certificate, made.key))
        assert _refused_by_tls(units, unit, context)


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_wrong_role_and_wrong_project_are_refused_alike(units: LiveUnits, unit: str) -> None:
    """A certificate stands for one party in one project."""
    with units.line(unit, "beta-north") as other, units.line(unit, f"alpha-{unit}") as itself:
        answers = [
            other.ask("GET", "/v1/projects/alpha"),
            other.ask("PUT", "/v1/projects/alpha/messages/m1", b"x", "application/octet-stream"),
            itself.ask("PUT", "/v1/projects/alpha/messages/m1", b"x", "application/octet-stream"),
        ]
    assert {REFUSAL} == set(map(undated, answers))


def test_older_tls_is_not_spoken(units: LiveUnits) -> None:
    """1.3 and nothing else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(units.folder.authority)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises((ssl.SSLError, ConnectionError)):
        Line(units.address("record-unit"), context)


def test_a_party_does_not_talk_to_a_false_unit(units: LiveUnits, tmp_path: Path) -> None:
    """An owner that trusts another authority does not accept the unit's certificate, and tells it nothing."""
    pki.new_authority(tmp_path / "other")
    own = pki.issue(tmp_path / "other", "alpha-north")
    context = client_context(Credentials(tmp_path / "other" / "authority.pem", own.certificate, own.key))
    with UnitClient(units.url("record-unit"), context, "alpha") as client, pytest.raises(Unreachable) as caught:
        client.status()
    assert "certificate is not accepted" in str(caught.value)


def test_a_unit_cannot_stand_in_for_another(units: LiveUnits) -> None:
    """Same authority, same host, another port: a caller goes by the key that the project file names."""
    project = units.folder.project("alpha")
    for unit, other in (("record-unit", "attribute-unit"), ("review-unit", "record-unit")):
        own = units.folder.credentials("alpha-north")
        context = client_context(own, server_key=project.server_key(UNIT_FOLDERS[unit]))
        with UnitClient(units.url(unit), context, "alpha") as client:
            assert "alpha" == client.status().project
        with UnitClient(units.url(other), context, "alpha") as client, pytest.raises(Unreachable):
            client.status()


def test_a_caller_learns_from_a_refusal_that_it_was_refused_and_no_more(units: LiveUnits) -> None:
    """Wrong project and unknown project raise the same error."""
    words = set()
    for project in ("beta", "gamma"):
        with UnitClient(units.url("record-unit"), units.context("alpha-north"), project) as client:
            with pytest.raises(Refused) as caught:
                client.status()
            error: UnveilError = caught.value
            words.add((error.message, error.hint))
    assert 1 == len(words)
