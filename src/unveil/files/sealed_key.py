"""
A key on its way to another owner: sealed under a passphrase, as text that can be mailed.

    key    = scrypt(passphrase in NFKC as UTF-8, salt, N = 2^cost, r = 8, p = 1), 32 bytes
    header = "UNVK" | version (1) | cost | salt (16 bytes) | nonce (12 bytes)
    sealed = header | ChaCha20-Poly1305(key, nonce, secret, associated data = header)

The text is `sealed` in base64 between two lines that say what it is. The passphrase goes to the other owner by another
way than the file, by telephone say. A wrong passphrase and a damaged file cannot be told apart.
"""

from __future__ import annotations

import base64
import binascii
import secrets
import unicodedata
from typing import Final

from unveil.errors import KeyFileError
from unveil.files.passphrase import LONGEST_PASSPHRASE, check_passphrase
from unveil.protocol.messages import OWNER_KEY

COST: Final = 18  # 256 MiB and about a second for every guess
LONGEST_TEXT: Final = 4096
BEGIN: Final = "-----BEGIN UNVEIL SEALED KEY-----"
END: Final = "-----END UNVEIL SEALED KEY-----"

_MAGIC: Final = b"UNVK\x01"
_SALT, _NONCE, _TAG, _SECRET = 16, 12, 16, OWNER_KEY
_HEADER: Final = len(_MAGIC) + 1 + _SALT + _NONCE
_LEAST_COST: Final = 14
_BLOCK, _LANES = 8, 1
_LINE: Final = 64
_REFUSED: Final = "the passphrase is wrong or the file is damaged"
_HINT: Final = "ask for the passphrase again, and for the file if that does not help"


def seal(secret: bytes, passphrase: str, *, cost: int = COST) -> str:
    """The secret of 32 bytes as sealed text."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    check_passphrase(passphrase)
    if len(secret) != _SECRET or not _LEAST_COST <= cost <= COST:
        raise ValueError("seal takes 32 bytes and a cost that open_sealed accepts")
    salt, nonce = secrets.token_bytes(_SALT), secrets.token_bytes(_NONCE)
    header = _MAGIC + bytes([cost]) + salt + nonce
    sealed = header + ChaCha20Poly1305(_key(passphrase, salt, cost)).encrypt(nonce, secret, header)
    return _armoured(sealed)


def open_sealed(text: bytes, passphrase: str) -> bytes:
    """The secret in a sealed text; KeyFileError, always the same one, if passphrase and text do not fit."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    sealed = _unarmoured(text)
    # The cost comes from the file, and so from anybody: it is bounded before any memory is taken.
    fits = len(sealed) == _HEADER + _SECRET + _TAG and sealed.startswith(_MAGIC)
    if not fits or not _LEAST_COST <= sealed[len(_MAGIC)] <= COST or len(passphrase) > LONGEST_PASSPHRASE:
        raise _refused()
    header, body = sealed[:_HEADER], sealed[_HEADER:]
    salt, nonce = header[-_SALT - _NONCE : -_NONCE], header[-_NONCE:]
    try:
        return ChaCha20Poly1305(_key(passphrase, salt, header[len(_MAGIC)])).decrypt(nonce, body, header)
    except InvalidTag:
        raise _refused() from None


def is_sealed(text: bytes) -> bool:
    """Whether this claims to be a sealed key, whatever state it is in."""
    return text.strip().startswith(BEGIN.encode())


def _key(passphrase: str, salt: bytes, cost: int) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    # One passphrase has several spellings in Unicode, and keyboards differ in which they send.
    try:
        plain = unicodedata.normalize("NFKC", passphrase).encode()
    except UnicodeEncodeError:  # half a character: no keyboard sends it
        raise _refused() from None
    try:
        return Scrypt(salt=salt, length=32, n=1 << cost, r=_BLOCK, p=_LANES).derive(plain)
    except MemoryError:
        needed = (128 * _BLOCK << cost) >> 20
        raise KeyFileError(f"sealing and opening a key takes {needed} MiB of memory, and so much is not free") from None


def _armoured(sealed: bytes) -> str:
    text = base64.b64encode(sealed).decode()
    lines = [text[start : start + _LINE] for start in range(0, len(text), _LINE)]
    return "\n".join([BEGIN, *lines, END]) + "\n"


def _unarmoured(text: bytes) -> bytes:
    """The bytes between the two lines; line ends and blanks do not matter, for mail programs change them."""
    begin, end, inner = BEGIN.encode(), END.encode(), text.strip()
    if len(text) > LONGEST_TEXT or not inner.startswith(begin) or not inner.endswith(end):
        raise _refused()
    letters = b"".join(inner[len(begin) : -len(end)].split())
    try:
        sealed = base64.b64decode(letters, validate=True)
    except (binascii.Error, ValueError):
        raise _refused() from None
    if base64.b64encode(sealed) != letters:  # stray bits in the last letter: a damaged copy
        raise _refused()
    return sealed


def _refused() -> KeyFileError:
    return KeyFileError(_REFUSED, hint=_HINT)
