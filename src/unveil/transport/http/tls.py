"""
TLS between the parties: version 1.3 and nothing older; a party is recognised by its public key.

Certificates of callers are optional at this level, since people come with tokens; one that is shown must be signed by
the project's authority and be in force, or the connection ends.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from unveil.errors import SettingError
from unveil.files.public_key import public_key_name

_AUTHORITY_HINT: Final = (
    "a PEM file with the certificate, not the key, of the authority that signed the parties' certificates"
)


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
    # A host is an alternative name of the certificate; what merely looks like one in its subject was checked by nobody.
    context.hostname_checks_common_name = False
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
    try:  # the text of an error may quote the file, so none is passed on
        context.load_verify_locations(cafile=credentials.authority)
    except (OSError, ssl.SSLError):
        what = "cannot be read as the certificate of an authority"
        raise SettingError(f"{credentials.authority}: {what}", hint=_AUTHORITY_HINT) from None
    if credentials.certificate is not None:
        try:
            # An empty password: a key that is encrypted is an error here, not a prompt on the terminal.
            context.load_cert_chain(credentials.certificate, credentials.key, password="")
        except (OSError, ssl.SSLError):
            raise _unfit_pair(credentials.certificate, credentials.key or credentials.certificate) from None
    return context


def _unfit_pair(certificate: Path, key: Path) -> SettingError:
    """Which of the two files is at fault, or that they do not belong together."""
    try:
        public = x509.load_pem_x509_certificate(certificate.read_bytes()).public_key()
    except (OSError, ValueError):
        return SettingError(f"{certificate}: cannot be read as a certificate", hint="it is a PEM file")
    try:
        secret = load_pem_private_key(key.read_bytes(), password=None)
    except TypeError:
        return SettingError(f"{key}: the private key is encrypted", hint="a unit or owner starts without a person")
    except (OSError, ValueError, UnsupportedAlgorithm):
        return SettingError(f"{key}: cannot be read as a private key", hint="it is a PEM file")
    if secret.public_key() != public:
        what = f"{certificate} and {key}: the certificate and the private key do not belong together"
        return SettingError(what, hint="unveil pki show tells whose certificate it is")
    return SettingError(f"{certificate}: TLS does not take this certificate and key")


def public_key_of(der: bytes) -> str:
    """The name of a certificate's public key."""
    return public_key_name(x509.load_der_x509_certificate(der))


def peer_of(der: bytes) -> Peer:
    """Whose certificate this is, and how long it holds."""
    certificate = x509.load_der_x509_certificate(der)
    return Peer(public_key_name(certificate), certificate.not_valid_after_utc.timestamp())
