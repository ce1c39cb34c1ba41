"""Whether the authority's certificate that an owner was given is one, and has signed the owner's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from unveil.files import private_file
from unveil.projects.certificates import CertificateError

_LONGEST: Final = 1 << 20  # bytes of a file: an authority may come with many others
_HINT: Final = "the authority is whoever signs the parties' certificates; of a trial, authority.pem of unveil pki new"


def check_authority(certificate: Path, authority: Path) -> None:
    """
    CertificateError unless `authority` holds an authority's certificate from which `certificate` comes.

    It may come from it by way of others, which then stand behind it in its own file, as TLS wants them.
    """
    own, *between = _read(certificate)
    trusted = [each for each in _read(authority) if _is_authority(each)]
    if not trusted:
        raise CertificateError(f"{authority}: is not the certificate of an authority", hint=_HINT)
    if not _comes_from(own, between, trusted):
        hint = f"{_HINT}; if there are others in between, they belong into {certificate}, behind our own"
        raise CertificateError(f"{authority}: this authority did not sign {certificate}", hint=hint)


def _read(path: Path) -> list[x509.Certificate]:
    data = private_file.read(path, longest=_LONGEST, error=CertificateError, hint=_HINT, private=False)
    try:
        return x509.load_pem_x509_certificates(data)
    except (ValueError, TypeError):
        raise CertificateError(f"{path}: holds no certificate in PEM form", hint=_HINT) from None


def _is_authority(certificate: x509.Certificate) -> bool:
    """Whether it may sign others; of very old ones nothing is known but that they signed themselves."""
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return certificate.version is x509.Version.v1 and _signed(certificate, certificate)
    except ValueError:
        return False


def _comes_from(
    own: x509.Certificate, between: Sequence[x509.Certificate], trusted: Sequence[x509.Certificate]
) -> bool:
    """Whether signatures lead from our own certificate to a trusted one."""
    links, unused = [own], list(between)
    while links:
        link = links.pop()
        if any(_signed(link, signer) for signer in trusted):
            return True
        links += (signers := [each for each in unused if _signed(link, each)])
        unused = [each for each in unused if each not in signers]
    return False


def _signed(certificate: x509.Certificate, signer: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(signer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True
