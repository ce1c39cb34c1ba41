"""
A small certificate authority for trials: one folder, one key, certificates for a few weeks.

Whoever holds `authority.key` can let anybody in who is listed in a project file by public key, and nobody who is not.
Keys are on the curve P-256; every file is readable by its owner alone and none is ever replaced. Certificates of a real
authority work the same: give each party its certificate and key, and every party the authority's certificate.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from unveil.errors import SettingError
from unveil.files import private_file
from unveil.projects.certificates import LONGEST, CertificateError, read_certificate
from unveil.projects.project import is_host
from unveil.settings.patterns import NAME

AUTHORITY: Final = "authority"
LOOPBACK: Final = ("127.0.0.1", "localhost")

_KEPT: Final = "certificates and keys are never replaced; choose another name or folder"
_NEW_HINT: Final = "unveil pki new makes an authority"
# Clocks of different machines differ a little; a certificate that is not valid yet looks like an attack.
_SKEW: Final = timedelta(minutes=5)
_LONGEST_DAYS: Final = 3650


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate and its private key, as files, and what the project file needs to know."""

    certificate: Path
    key: Path
    public_key: str
    not_after: datetime


def new_authority(folder: Path, *, days: int = 730) -> Issued:
    """Make an authority in that folder: `authority.pem`, which every party needs, and `authority.key`."""
    _check_days(days)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        raise CertificateError(f"{folder}: the folder {folder.parent} does not exist") from None
    except (OSError, ValueError):
        raise CertificateError(f"{folder}: cannot be made, or is no folder") from None
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = _name("unveil trial authority")
    builder = _builder(name, name, key.public_key(), now - _SKEW, now + timedelta(days=days))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).add_extension(
        _usage(signs_certificates=True), critical=True
    )
    return _written(folder, AUTHORITY, builder.sign(key, SHA256()), key)


def issue(
    folder: Path,
    name: str,
    *,
    hosts: Sequence[str] = LOOPBACK,
    days: int = 90,
    not_before: datetime | None = None,
    not_after: datetime | None = None,
) -> Issued:
    """
    A certificate for one party, signed by the authority in that folder: `NAME.pem` and `NAME.key`.

    It serves a unit, which must be reached under one of the hosts, as well as an owner, who needs none. It ends no
    later than the authority does. Other times than "from now, for so many days" may be given.
    """
    _check_days(days)
    if not re.fullmatch(NAME, name) or name == AUTHORITY:
        hint = "small letters, digits and dashes, beginning with a letter, and not authority"
        raise SettingError("no name for a certificate", hint=hint)
    signer, signing_key = _authority(folder)
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    begins = not_before or now - _SKEW
    ends = min(not_after or now + timedelta(days=days), signer.not_valid_after_utc)
    if ends <= begins:
        raise CertificateError(f"{folder}: the authority has expired", hint="make a new one in another folder")
    builder = _builder(_name(name), signer.subject, key.public_key(), begins, ends)
    builder = (
        builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
        )
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), critical=False)
    )
    if hosts:
        builder = builder.add_extension(x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False)
    return _written(folder, name, builder.sign(signing_key, SHA256()), key)


def _authority(folder: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """The certificate and key of the authority in that folder."""
    certificate, key = folder / f"{AUTHORITY}.pem", folder / f"{AUTHORITY}.key"
    public = private_file.read(certificate, longest=LONGEST, error=CertificateError, hint=_NEW_HINT, private=False)
    secret = private_file.read(key, longest=LONGEST, error=CertificateError, hint=_NEW_HINT)
    try:
        signer, signing_key = x509.load_pem_x509_certificate(public), load_pem_private_key(secret, password=None)
    except (ValueError, TypeError):
        raise CertificateError(f"{folder}: the authority's files are damaged", hint=_NEW_HINT) from None
    if not isinstance(signing_key, ec.EllipticCurvePrivateKey) or signing_key.public_key() != signer.public_key():
        raise CertificateError(f"{folder}: the authority's certificate and key do not belong together", hint=_NEW_HINT)
    return signer, signing_key


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    public_key: ec.EllipticCurvePublicKey,
    not_before: datetime,
    not_after: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(not_before)
        .not_valid_after(not_after)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


def _written(folder: Path, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> Issued:
    """Both files on the disk, or none."""
    paths = folder / f"{name}.pem", folder / f"{name}.key"
    for path in paths:
        if path.exists() or path.is_symlink():
            raise CertificateError(f"{path}: exists already", hint=_KEPT)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    private_file.write_new(paths[1], secret, error=CertificateError, why_kept=_KEPT)
    try:
        public = certificate.public_bytes(Encoding.PEM)
        private_file.write_new(paths[0], public, error=CertificateError, why_kept=_KEPT)
    except CertificateError:
        paths[1].unlink()
        raise
    read = read_certificate(paths[0])
    return Issued(paths[0], paths[1], read.public_key, read.not_after)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _host(host: str) -> x509.GeneralName:
    if not is_host(host):
        raise SettingError("no host name or numeric address", hint="such as unit.example.org or 127.0.0.1")
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _check_days(days: int) -> None:
    if not 1 <= days <= _LONGEST_DAYS:
        raise SettingError(f"{days} days are not allowed", hint=f"1 to {_LONGEST_DAYS} days")
