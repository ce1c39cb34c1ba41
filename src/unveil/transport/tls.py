"""
TLS between the parties: version 1.3 and nothing older; a party is recognised by its public key.

Certificates of callers are optional at this level, since people come with tokens; one that is shown must be signed by
the project's authority and be in force, or the connection ends.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509

from unveil.errors import SettingError
from unveil.public_key import public_key_name


@dataclass(frozen=True, slots=True)
class Credentials:
    """Files: the authority to trust, this party's certificate and its private key (both None for people)."""

    authority: Path
    certificate: Path | None = None
    key: Path | None = None


@dataclass(frozen=True, slots=True)
class Peer:
    """Whose certificate the other side of a connection showed, and until when it is in force (seconds since 1970)."""

    public_key: str
    expires: float


def server_context(credentials: Credentials) -> ssl.SSLContext:
    """What a unit listens with."""
    if credentials.certificate is None:
        raise SettingError("a unit needs a certificate and its key")
    context = _filled(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), credentials)
    context.verify_mode = ssl.CERT_OPTIONAL
    # A resumed session would not look at the certificate again, which may have expired since.
    context.num_tickets = 0
    return context


def client_context(credentials: Credentials, *, server_key: str | None = None) -> ssl.SSLContext:
    """
    What an owner, a person or a unit calls with.

    The unit must show a certificate for the name it is called by and, where `server_key` is given, of that public key:
    an authority that certifies somebody else for the same name does not make them the unit. Nothing is sent before.
    """
    context = _filled(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), credentials)
    if server_key is not None:
        context.sslsocket_class = _pinned(server_key)
    return context


def _pinned(server_key: str) -> type[ssl.SSLSocket]:
    class Pinned(ssl.SSLSocket):
        def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - as in the library
            super().do_handshake(block)
            shown = self.getpeercert(binary_form=True)
            if shown is None or public_key_of(shown) != server_key:
                error = ssl.SSLCertVerificationError("another public key")
                error.verify_message = "it is not the key that the project lists"
                raise error

    return Pinned


def _filled(context: ssl.SSLContext, credentials: Credentials) -> ssl.SSLContext:
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.maximum_version = ssl.TLSVersion.TLSv1_3
    try:
        context.load_verify_locations(cafile=credentials.authority)
        if credentials.certificate is not None:
            # An empty password: a key that is encrypted is an error here, not a prompt on the terminal.
            context.load_cert_chain(credentials.certificate, credentials.key, password="")
    except (OSError, ssl.SSLError):  # its text may quote the file
        raise SettingError(
            "the certificate, its key or the authority cannot be read",
            hint="they are PEM files; the key must belong to the certificate and must not be encrypted",
        ) from None
    return context


def public_key_of(der: bytes) -> str:
    """The name of a certificate's public key."""
    return public_key_name(x509.load_der_x509_certificate(der))


def peer_of(der: bytes) -> Peer:
    """Whose certificate this is, and how long it holds."""
    certificate = x509.load_der_x509_certificate(der)
    return Peer(public_key_name(certificate), certificate.not_valid_after_utc.timestamp())
