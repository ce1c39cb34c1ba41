"""The public key of a certificate, by which a party is known: a renewed certificate of that key is the same party."""

from __future__ import annotations

import base64
import hashlib

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def public_key_name(certificate: x509.Certificate) -> str:
    """
    The name of a certificate's public key, as project files list it.

    "sha256:" + base64url(SHA-256(SubjectPublicKeyInfo as DER)), without padding.
    """
    info = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "sha256:" + base64.urlsafe_b64encode(hashlib.sha256(info).digest()).decode().rstrip("=")
