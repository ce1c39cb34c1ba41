"""Connections: who is turned away before a request is read."""

from __future__ import annotations

import json
import signal
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest
from live_unit import Live, bare, connected, listening, raw, status_of
from memory_unit import MemoryUnit
from trial_certificates import Identity
from trial_project import Trial

from patience import PATIENCE, wait_until
from unveil.errors import SettingError
from unveil.transport.failures import Refused, Unreachable
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context, public_key_of, server_context

_ENDED = "TLS failed|the connection failed"  # the alert may be overtaken by the end of the connection
STATUS = b"GET /v1/projects/alpha HTTP/1.1\r\nHost: x\r\n\r\n"


def test_plain_http_gets_no_answer(live: Live) -> None:
    """Nothing is said before TLS."""
    with connected(live) as plain:
        try:
            plain.sendall(STATUS)
            got = plain.recv(1000)
        except ConnectionError:
            got = b""
    assert b"HTTP" not in got


def _calls(live: Live, identity: Identity) -> None:
    with UnitClient(live.address, client_context(identity.credentials), "alpha") as client:
        client.status()


def test_a_certificate_of_another_authority_ends_the_connection(trial: Trial, live: Live) -> None:
    """Even with a key that the project lists."""
    stranger = trial.stranger_authority.issue("impostor", trusting=trial.authority.file)
    with pytest.raises(Unreachable, match=_ENDED):
        _calls(live, stranger)


def test_an_expired_certificate_ends_the_connection(trial: Trial, live: Live, record_unit: MemoryUnit) -> None:
    """Even one that the project lists."""
    expired = trial.authority.issue("expired", days=0.5)
    record_unit.keys[expired.public_key] = record_unit.keys[trial.parties["north"].public_key]
    with pytest.raises(Unreachable, match=_ENDED):
        _calls(live, expired)


def test_a_certificate_that_expires_on_an_open_connection_is_refused(trial: Trial, record_unit: MemoryUnit) -> None:
    """TLS looks at certificates once, when the connection is made."""
    now = [time.time()]
    unit, north = trial.parties["record unit"], trial.parties["north"]
    with (
        listening(record_unit, unit, clock=lambda: now[0]) as live,
        UnitClient(live.address, client_context(north.credentials), "alpha") as client,
    ):
        client.status()
        now[0] += 40 * 86400
        with pytest.raises(Refused):
            client.status()


def test_older_versions_of_tls_are_not_spoken(trial: Trial, live: Live) -> None:
    """Version 1.3 and nothing older."""
    context = bare(trial.parties["north"])
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with connected(live) as plain, pytest.raises((ssl.SSLError, ConnectionError)):
        context.wrap_socket(plain, server_hostname=live.host)


def test_a_unit_with_a_certificate_of_another_authority_is_not_called(trial: Trial, record_unit: MemoryUnit) -> None:
    """The caller checks the unit too, before it shows anything."""
    false_unit = trial.stranger_authority.issue("false unit", trusting=trial.authority.file)
    with (
        listening(record_unit, false_unit) as live,
        pytest.raises(Unreachable, match="certificate is not accepted"),
    ):
        _calls(live, trial.parties["north"])


def test_a_unit_with_another_key_than_the_project_lists_is_not_called(trial: Trial, record_unit: MemoryUnit) -> None:
    """The same authority may certify somebody else for the same name; nothing is sent to them."""
    north, listed = trial.parties["north"], trial.parties["record unit"].public_key
    impostor = trial.authority.issue("impostor")
    record_unit.taken.clear()
    for identity, taken in ((trial.parties["record unit"], 1), (impostor, 1)):
        with listening(record_unit, identity) as live:
            tls = client_context(north.credentials, server_key=listed)
            with UnitClient(live.address, tls, "alpha") as client:
                if identity is impostor:
                    with pytest.raises(Unreachable, match="certificate is not accepted"):
                        client.put("m-2", b"a frame")
                else:
                    client.put("m-1", b"a frame")
        assert taken == len(record_unit.taken)


def test_without_a_certificate_the_refusal_is_that_of_a_wrong_role(trial: Trial, live: Live) -> None:
    """Byte for byte, but for the date."""
    mail = STATUS.replace(b"alpha ", b"alpha/mailbox ")
    none = raw(live, None, STATUS, authority=trial.parties["north"])
    wrong = raw(live, trial.parties["attribute unit"], mail, authority=trial.parties["north"])
    assert 403 == status_of(none)
    assert [line for line in none.split(b"\r\n") if not line.startswith(b"date")] == [
        line for line in wrong.split(b"\r\n") if not line.startswith(b"date")
    ]


def test_files_that_do_not_fit_are_an_error_without_their_contents(trial: Trial, tmp_path: Path) -> None:
    """A private key is a secret in every error."""
    north, south = (trial.parties[name].credentials for name in ("north", "south"))
    for bad in (
        Credentials(north.authority, north.certificate, south.key),
        Credentials(tmp_path / "missing.pem", north.certificate, north.key),
        Credentials(north.authority),
    ):
        with pytest.raises(SettingError):
            server_context(bad)


def test_the_name_of_a_public_key_does_not_depend_on_the_certificate(trial: Trial) -> None:
    """A renewed certificate with the same key is the same party."""
    pem = trial.parties["north"].credentials.certificate
    assert pem is not None
    name = public_key_of(ssl.PEM_cert_to_DER_cert(pem.read_text()))
    assert trial.parties["north"].public_key == name
    assert len("sha256:") + 43 == len(name)


PROGRAM = """
import sys, time
from pathlib import Path
from memory_unit import MemoryUnit
from unveil.protocol.roles import Role
from unveil.transport.http.app import application
from unveil.transport.http.limits import RequestLimits
from unveil.transport.logs import configure
from unveil.transport.http.server import ready_file, serve
from unveil.transport.http.tls import Credentials, server_context

authority, certificate, key, ready = map(Path, sys.argv[1:])
app = application(MemoryUnit(Role.RECORD_UNIT), limits=RequestLimits(), clock=time.time, log=configure(sys.stderr))
serve(app, server_context(Credentials(authority, certificate, key)), "127.0.0.1", 0, ready_file(ready))
"""


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_a_process_says_where_it_listens_and_ends_well_when_told_to(
    trial: Trial, tmp_path: Path, sig: signal.Signals
) -> None:
    """Supervisors stop units this way."""
    files, ready = trial.parties["record unit"].credentials, tmp_path / "ready.json"
    arguments = [str(path) for path in (files.authority, files.certificate, files.key, ready)]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=Path(__file__).parent, stderr=subprocess.PIPE
    ) as process:
        try:
            wait_until(lambda: ready.exists() or process.poll() is not None, "it says where it listens")
            assert process.poll() is None, "it has ended"
            place = json.loads(ready.read_text())
            live = Live(place["host"], place["port"], None)  # type: ignore[arg-type]
            health = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            assert 200 == status_of(raw(live, None, health, authority=trial.parties["north"]))
            process.send_signal(sig)
            assert 0 == process.wait(PATIENCE)
        finally:
            process.kill()
