"""A certificate authority for tests, with every mistake that a certificate can have."""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from unveil.transport.http.tls import Credentials, public_key_of

_DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Identity:
    """A party's files and the name of its public key."""

    credentials: Credentials
    public_key: str


class TrialAuthority:
    """Issues certificates into a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.file = folder / f"{name}.pem"
        certificate = self._signed(self._name, self._key, days=30, is_authority=True)
        self.file.write_bytes(certificate.public_bytes(Encoding.PEM))

    def issue(self, name: str, *, days: float = 30, trusting: Path | None = None) -> Identity:
        """A certificate in force for so many days from yesterday on; `trusting` is the authority its holder trusts."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._signed(subject, key, days=days, is_authority=False)
        files = self._folder / f"{name}.crt", self._folder / f"{name}.key"
        files[0].write_bytes(certificate.public_bytes(Encoding.PEM))
        files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        credentials = Credentials(trusting or self.file, *files)
        return Identity(credentials, public_key_of(certificate.public_bytes(Encoding.DER)))

    def _signed(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, days: float, is_authority: bool
    ) -> x509.Certificate:
        start = dt.datetime.now(dt.UTC) - _DAY
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(start + days * _DAY)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(names, critical=False)
            .sign(self._key, hashes.SHA256())
        )
