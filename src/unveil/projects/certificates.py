"""
Certificates as they are read: whose public key, from when to when, for which hosts and purposes.

A party is known by "sha256:" and the base64url text of SHA-256 over the DER form of its certificate's public key
(SubjectPublicKeyInfo). A renewed certificate with the same key is the same party.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from unveil.errors import UnveilError
from unveil.files import private_file
from unveil.files.public_key import public_key_name

LONGEST: Final = 1 << 16
_HINT: Final = "unveil pki issue makes certificates for trials"


class CertificateError(UnveilError):
    """A certificate or its private key is missing, malformed, or of no use here."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a certificate says."""

    subject: str
    issuer: str
    not_before: datetime
    not_after: datetime
    hosts: tuple[str, ...]
    authority: bool  #: whether it signs other certificates instead of standing for a party
    for_callers: bool  #: whether TLS lets its holder call with it
    for_listeners: bool  #: whether TLS lets its holder listen with it
    public_key: str

    def valid(self, now: datetime) -> bool:
        """Whether it is neither too early nor too late for it."""
        return self.not_before <= now <= self.not_after


def read_certificate(path: Path) -> Certificate:
    """What the certificate in a file says; of a chain, the first."""
    data = private_file.read(path, longest=LONGEST, error=CertificateError, hint=_HINT, private=False)
    try:
        parsed = _parsed(data)
        return Certificate(
            subject=parsed.subject.rfc4514_string(),
            issuer=parsed.issuer.rfc4514_string(),
            not_before=parsed.not_valid_before_utc,
            not_after=parsed.not_valid_after_utc,
            hosts=_hosts(parsed),
            authority=_is_authority(parsed),
            for_callers=_signs(parsed) and _serves(parsed, ExtendedKeyUsageOID.CLIENT_AUTH),
            for_listeners=_serves(parsed, ExtendedKeyUsageOID.SERVER_AUTH),
            public_key=public_key_name(parsed),
        )
    except (ValueError, TypeError):
        # A private key must not travel; whoever mistook the files should hear it before it does.
        hint = (
            "that is a private key, which stays where it is; give the certificate" if b"PRIVATE KEY" in data else _HINT
        )
        raise CertificateError(f"{path}: is not a certificate in PEM or DER form", hint=hint) from None


def _parsed(data: bytes) -> x509.Certificate:
    if b"-----BEGIN" in data:
        return x509.load_pem_x509_certificate(data)
    return x509.load_der_x509_certificate(data)


def _hosts(certificate: x509.Certificate) -> tuple[str, ...]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    addresses = [str(address) for address in names.get_values_for_type(x509.IPAddress)]
    return (*addresses, *names.get_values_for_type(x509.DNSName))


def _is_authority(certificate: x509.Certificate) -> bool:
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False


def _serves(certificate: x509.Certificate, purpose: x509.ObjectIdentifier) -> bool:
    """Whether it names this purpose, or no purpose at all, as OpenSSL sees it: "any purpose" is not enough there."""
    try:
        return purpose in certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return True


def _signs(certificate: x509.Certificate) -> bool:
    """Whether its key may do what a caller's key does in a handshake."""
    try:
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:
        return True
    return usage.digital_signature or usage.key_agreement
