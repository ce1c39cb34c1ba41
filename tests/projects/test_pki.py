"""Certificates for trials: they work in real TLS 1.3 handshakes, and others do not."""

from __future__ import annotations

import base64
import hashlib
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID

from unveil.errors import SettingError
from unveil.files.public_key import public_key_name
from unveil.projects import pki
from unveil.projects.certificates import CertificateError, read_certificate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, two parties, an expired one, one that is not valid yet; and a foreign authority with one party."""
    folder = tmp_path_factory.mktemp("pki")
    now = datetime.now(UTC)
    for name in ("ca", "foreign"):
        pki.new_authority(folder / name)
        pki.issue(folder / name, "unit")
    pki.issue(folder / "ca", "a", hosts=())
    day = timedelta(days=1)
    pki.issue(folder / "ca", "expired", not_before=now - 2 * day, not_after=now - day)
    pki.issue(folder / "ca", "future", not_before=now + day, not_after=now + 2 * day)
    pki.issue(folder / "ca", "elsewhere", hosts=["unit.example.org"])
    return folder


def context(kind: int, folder: Path, name: str | None, trusted: Path | None = None) -> ssl.SSLContext:
    made = ssl.SSLContext(kind)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.verify_mode = ssl.CERT_REQUIRED
    made.verify_flags |= ssl.VERIFY_X509_STRICT
    made.load_verify_locations((trusted or folder) / "authority.pem")
    if name is not None:
        made.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return made


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, host: str = "127.0.0.1") -> tuple[str | None, bytes]:
    """The protocol version and the client's certificate as the server saw it; an ssl.SSLError if either refuses."""
    wires = [ssl.MemoryBIO() for _ in range(2)]
    at_client = client.wrap_bio(wires[0], wires[1], server_hostname=host)
    at_server = server.wrap_bio(wires[1], wires[0], server_side=True)
    for _ in range(4):
        for side in (at_client, at_server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    at_client.write(b"x")
    assert b"x" == at_server.read(1)
    at_server.write(b"y")
    assert b"y" == at_client.read(1)  # in TLS 1.3 a client learns only now that it was refused
    return at_server.version(), at_server.getpeercert(binary_form=True) or b""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("client", ["a", "unit"])
def test_issued_certificates_serve_both_sides_of_tls(folder: Path, client: str, host: str) -> None:
    """A unit answers under its hosts, an owner is recognised by its public key, under OpenSSL's strictest rules."""
    ca = folder / "ca"
    version, seen = handshake(
        context(ssl.PROTOCOL_TLS_SERVER, ca, "unit"), context(ssl.PROTOCOL_TLS_CLIENT, ca, client), host
    )
    assert "TLSv1.3" == version
    assert read_certificate(ca / f"{client}.pem").public_key == public_key_name(x509.load_der_x509_certificate(seen))


@pytest.mark.parametrize(
    ("client", "words"),
    [("expired", "expired"), ("future", "not yet valid"), (None, "did not return a certificate")],
)
def test_a_client_is_refused(folder: Path, client: str | None, words: str) -> None:
    """Expired, too early, or without a certificate."""
    ca = folder / "ca"
    with pytest.raises(ssl.SSLError, match=words):
        handshake(context(ssl.PROTOCOL_TLS_SERVER, ca, "unit"), context(ssl.PROTOCOL_TLS_CLIENT, ca, client))


def test_a_client_of_a_foreign_authority_is_refused(folder: Path) -> None:
    """Although it trusts the unit's authority, and bears the same name as a party."""
    client = context(ssl.PROTOCOL_TLS_CLIENT, folder / "foreign", "unit", trusted=folder / "ca")
    with pytest.raises(ssl.SSLError, match=r"local issuer|signature failure|self-signed"):
        handshake(context(ssl.PROTOCOL_TLS_SERVER, folder / "ca", "unit"), client)


@pytest.mark.parametrize(
    ("server", "words"),
    [("expired", "expired"), ("elsewhere", "IP address mismatch"), ("a", "IP address mismatch")],
)
def test_a_unit_is_refused(folder: Path, server: str, words: str) -> None:
    """Expired, or issued for another host; an owner's certificate is for no host at all."""
    ca = folder / "ca"
    with pytest.raises(ssl.SSLError, match=words):
        handshake(context(ssl.PROTOCOL_TLS_SERVER, ca, server), context(ssl.PROTOCOL_TLS_CLIENT, ca, "a"))


def test_a_unit_of_a_foreign_authority_is_refused(folder: Path) -> None:
    """Owners send nothing to it."""
    server = context(ssl.PROTOCOL_TLS_SERVER, folder / "foreign", "unit", trusted=folder / "ca")
    with pytest.raises(ssl.SSLError, match="verify failed"):
        handshake(server, context(ssl.PROTOCOL_TLS_CLIENT, folder / "ca", "a"))


def test_a_party_cannot_sign_for_others(folder: Path) -> None:
    """Its certificate says so, and the authority signs no further authority."""
    party, authority = (
        x509.load_pem_x509_certificate((folder / "ca" / f"{name}.pem").read_bytes()).extensions
        for name in ("unit", "authority")
    )
    constraints = party.get_extension_for_class(x509.BasicConstraints)
    assert (True, False) == (constraints.critical, constraints.value.ca)
    assert not party.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    assert usages == list(party.get_extension_for_class(x509.ExtendedKeyUsage).value)
    constraints = authority.get_extension_for_class(x509.BasicConstraints)
    assert (True, True, 0) == (constraints.critical, constraints.value.ca, constraints.value.path_length)
    assert not authority.get_extension_for_class(x509.KeyUsage).value.digital_signature


def test_the_public_key_is_the_hash_that_the_project_file_lists(folder: Path) -> None:
    """SHA-256 over SubjectPublicKeyInfo."""
    pem = folder / "ca" / "unit.pem"
    certificate = x509.load_pem_x509_certificate(pem.read_bytes())
    spki = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    expected = "sha256:" + base64.urlsafe_b64encode(hashlib.sha256(spki).digest()).decode().rstrip("=")
    assert expected == public_key_name(certificate) == read_certificate(pem).public_key
    assert isinstance(certificate.public_key(), ec.EllipticCurvePublicKey)


def test_what_a_certificate_says_is_read(folder: Path) -> None:
    """Hosts, validity, and whether it is an authority's."""
    unit = read_certificate(folder / "ca" / "unit.pem")
    assert ("CN=unit", ("127.0.0.1", "localhost"), False) == (unit.subject, unit.hosts, unit.authority)
    now = datetime.now(UTC)
    assert unit.valid(now)
    assert timedelta(days=89) < unit.not_after - now < timedelta(days=90)
    assert not read_certificate(folder / "ca" / "expired.pem").valid(now)
    assert not read_certificate(folder / "ca" / "future.pem").valid(now)
    authority = read_certificate(folder / "ca" / "authority.pem")
    assert (True, unit.issuer) == (authority.authority, authority.subject)


def test_every_file_is_for_one_pair_of_eyes(folder: Path) -> None:
    """And so is the folder."""
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in (folder / "ca").iterdir()}
    assert 0o700 == stat.S_IMODE((folder / "ca").stat().st_mode)


def test_nothing_is_ever_replaced(folder: Path) -> None:
    """A replaced key locks a party out of its projects."""
    ca = folder / "ca"
    before = {path: path.read_bytes() for path in ca.iterdir()}
    with pytest.raises(CertificateError, match="exists already"):
        pki.new_authority(ca)
    with pytest.raises(CertificateError, match="exists already"):
        pki.issue(ca, "unit")
    assert before == {path: path.read_bytes() for path in ca.iterdir()}


@pytest.mark.parametrize("present", ["b.pem", "b.key"])
def test_half_a_pair_is_not_completed(tmp_path: Path, present: str) -> None:
    """The new half would not fit the old one."""
    pki.new_authority(tmp_path)
    (tmp_path / present).symlink_to("nowhere")
    with pytest.raises(CertificateError, match="exists already"):
        pki.issue(tmp_path, "b")
    assert {"authority.pem", "authority.key", present} == {path.name for path in tmp_path.iterdir()}


def test_a_certificate_ends_with_its_authority(tmp_path: Path) -> None:
    """It would be refused after that day anyway."""
    authority = pki.new_authority(tmp_path, days=10)
    assert authority.not_after == pki.issue(tmp_path, "b", days=90).not_after


@pytest.mark.parametrize("name", ["", "B", "../b", "a/b", "authority", "b" * 64, "b\n"])
def test_names_are_names_of_files(tmp_path: Path, name: str) -> None:
    """And of parties; nothing is written outside the folder."""
    pki.new_authority(tmp_path)
    with pytest.raises(SettingError):
        pki.issue(tmp_path, name)
    assert 2 == len(list(tmp_path.iterdir()))


@pytest.mark.parametrize("host", ["", "*", "*.example.org", "https://h", "h:1", "1.2.3", "a b"])
def test_hosts_are_hosts(tmp_path: Path, host: str) -> None:
    """No wildcard: a unit is one machine."""
    pki.new_authority(tmp_path)
    with pytest.raises(SettingError):
        pki.issue(tmp_path, "b", hosts=[host])


@pytest.mark.parametrize("days", [0, -1, 100_000])
def test_days_are_bounded(tmp_path: Path, days: int) -> None:
    """For ever is no validity."""
    with pytest.raises(SettingError):
        pki.new_authority(tmp_path, days=days)
    assert [] == list(tmp_path.iterdir())


def test_a_damaged_authority_issues_nothing(tmp_path: Path) -> None:
    """Missing, readable by others, mixed up, or no key at all: one clear line each, nothing of the key in it."""
    with pytest.raises(CertificateError, match="no such file"):
        pki.issue(tmp_path, "b")
    pki.new_authority(tmp_path)
    pki.new_authority(tmp_path / "other")
    key = tmp_path / "authority.key"
    key.chmod(0o644)
    with pytest.raises(CertificateError, match="others on this machine"):
        pki.issue(tmp_path, "b")
    key.chmod(0o600)
    key.write_bytes((tmp_path / "other" / "authority.key").read_bytes())
    with pytest.raises(CertificateError, match="do not belong together"):
        pki.issue(tmp_path, "b")
    key.write_text("CANARY")
    with pytest.raises(CertificateError, match="damaged") as found:
        pki.issue(tmp_path, "b")
    assert "CANARY" not in f"{found.value}{found.value.hint}"


def test_a_private_key_given_for_a_certificate_is_pointed_out(folder: Path) -> None:
    """Before it is mailed to somebody."""
    with pytest.raises(CertificateError, match="not a certificate") as found:
        read_certificate(folder / "ca" / "unit.key")
    assert "private key" in str(found.value.hint)
    for junk in (b"", b"junk", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"):
        (folder / "junk.pem").write_bytes(junk)
        with pytest.raises(CertificateError, match="not a certificate"):
            read_certificate(folder / "junk.pem")
