"""Certificates that do not fit: which file it is, and what a caller hears whose own the unit does not take."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from odd_certificates import DAY, SERVER, reissue
from patience import PATIENCE
from unveil.errors import SettingError
from unveil.projects import pki
from unveil.transport.failures import Unreachable
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context, server_context

OWN = "perhaps it does not accept our own certificate"
EMPTY = b"HTTP/1.1 204 No Content\r\n\r\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ca")
    pki.new_authority(folder)
    for name in ("unit", "north", "south"):
        pki.issue(folder, name)
    return folder


def credentials(folder: Path, name: str) -> Credentials:
    return Credentials(folder / "authority.pem", folder / f"{name}.pem", folder / f"{name}.key")


@contextmanager
def unit(folder: Path, answers: int) -> Iterator[str]:
    """Something that gives so many answers on one connection and then hangs up."""
    context = server_context(credentials(folder, "unit"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)

        def serve() -> None:
            plain, _ = listener.accept()
            plain.settimeout(PATIENCE)
            with plain, suppress(ssl.SSLError, OSError), context.wrap_socket(plain, server_side=True) as secure:
                for _ in range(answers):
                    secure.recv(65536)
                    secure.sendall(EMPTY)
                secure.recv(65536)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            thread.join()


@pytest.mark.parametrize("certificate", [{"ends": -DAY}, {"purposes": [SERVER]}], ids=["ended", "purpose"])
def test_a_unit_that_hangs_up_may_not_accept_our_certificate(folder: Path, certificate: dict[str, Any]) -> None:
    """TLS does not always get to say so, and the network is then blamed for days."""
    reissue(folder, "south", **certificate)
    context = client_context(credentials(folder, "south"))
    with (
        unit(folder, 0) as address,
        UnitClient(address, context, "alpha") as client,
        pytest.raises(Unreachable) as found,
    ):
        client.mail()
    assert OWN in found.value.reason
    reissue(folder, "south")  # the control: but for that, it is accepted
    with (
        unit(folder, 1) as address,
        UnitClient(address, client_context(credentials(folder, "south")), "alpha") as client,
    ):
        assert None is client.mail()


def test_a_connection_that_was_good_before_is_no_question_of_certificates(folder: Path) -> None:
    """A unit that is stopped hangs up too."""
    with (
        unit(folder, 1) as address,
        UnitClient(address, client_context(credentials(folder, "north")), "alpha") as client,
    ):
        assert None is client.mail()
        with pytest.raises(Unreachable) as found:
            client.mail()
    assert "the connection failed" == found.value.reason


def test_nobody_at_the_port_is_no_question_of_certificates(folder: Path) -> None:
    """Nor is a person's token, which comes without a certificate."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"https://127.0.0.1:{taken.getsockname()[1]}"
    context = client_context(credentials(folder, "north"))
    with UnitClient(address, context, "alpha") as client, pytest.raises(Unreachable) as found:
        client.mail()
    assert "the connection failed" == found.value.reason
    people = client_context(Credentials(folder / "authority.pem"))
    with (
        unit(folder, 0) as address,
        UnitClient(address, people, "alpha", token="x") as client,
        pytest.raises(Unreachable) as found,
    ):
        client.tasks()
    assert "the connection failed" == found.value.reason


def test_the_file_that_does_not_fit_is_named(folder: Path) -> None:
    """Of three; and none of them is quoted."""
    north, key = folder / "north.pem", folder / "north.key"
    authority = folder / "authority.pem"
    locked, junk = folder / "locked.key", folder / "junk.pem"
    secret = load_pem_private_key(key.read_bytes(), password=None)
    locked.write_bytes(secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))
    junk.write_text("CANARY")
    cases = {
        Credentials(folder / "authority.key", north, key): (folder / "authority.key", "certificate of an authority"),
        Credentials(junk, north, key): (junk, "certificate of an authority"),
        Credentials(folder / "none.pem", north, key): (folder / "none.pem", "certificate of an authority"),
        Credentials(authority, junk, key): (junk, "as a certificate"),
        Credentials(authority, key, key): (key, "as a certificate"),
        Credentials(authority, north, junk): (junk, "as a private key"),
        Credentials(authority, north, locked): (locked, "is encrypted"),
        Credentials(authority, north, folder / "unit.key"): (
            f"{north} and {folder / 'unit.key'}",
            "do not belong together",
        ),
    }
    for given, (file, words) in cases.items():
        with pytest.raises(SettingError) as found:
            client_context(given)
        assert found.value.message.startswith(f"{file}: ")
        assert words in found.value.message
        assert "CANARY" not in found.value.message


def test_a_host_is_no_name_in_the_subject(folder: Path) -> None:
    """`unveil project join` and `unveil serve` refuse such a certificate; so do callers."""
    assert not client_context(credentials(folder, "north")).hostname_checks_common_name
