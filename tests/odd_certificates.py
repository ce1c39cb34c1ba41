"""Certificates that the authority for trials does not issue: for one purpose, for a past time, for any host."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CLIENT, SERVER = ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH
ANY = ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE
DAY = timedelta(days=1)


def reissue(
    folder: Path,
    name: str,
    *,
    begins: timedelta = -3 * DAY,
    ends: timedelta = 30 * DAY,
    purposes: Sequence[x509.ObjectIdentifier] | None = None,
    signs: bool | None = None,
    hosts: Sequence[str] = (),
) -> Path:
    """
    Replace NAME.pem by another certificate of the same key, signed by the authority in that folder.

    Times are from now; without `purposes` and `signs` the certificate says nothing about its purpose.
    """
    key = _key(folder / f"{name}.key")
    now, signer = datetime.now(UTC), x509.load_pem_x509_certificate((folder / "authority.pem").read_bytes())
    builder = (
        x509.CertificateBuilder()
        # Not the signer's own name: TLS would take the certificate for one that signed itself.
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(signer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begins)
        .not_valid_after(now + ends)
    )
    if purposes is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
    if signs is not None:
        others = dict.fromkeys(("content_commitment", "data_encipherment", "key_agreement", "key_cert_sign"), False)
        others |= dict.fromkeys(("crl_sign", "encipher_only", "decipher_only"), False)
        usage = x509.KeyUsage(digital_signature=signs, key_encipherment=True, **others)
        builder = builder.add_extension(usage, critical=True)
    if hosts:
        builder = builder.add_extension(x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False)
    path = folder / f"{name}.pem"
    path.write_bytes(builder.sign(_key(folder / "authority.key"), SHA256()).public_bytes(Encoding.PEM))
    return path


def _key(path: Path) -> ec.EllipticCurvePrivateKey:
    key = load_pem_private_key(path.read_bytes(), password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
