"""
Passkeys at the log-in: what a device is asked to sign, and whether what it says is right.

They come with the extra `passkeys` (the library `webauthn`); without it the pages offer passwords alone. A passkey is
for one name of the unit's, and a device is asked to make sure who holds it. Numerals such as 127.0.0.1 are no names.
"""

from __future__ import annotations

import base64
import importlib.util
import ipaddress
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from unveil.storage.passkeys import Passkey
from unveil.storage.people import KnownPerson
from unveil.transport.port import JSON

_NAME: Final = "Unveil"
_CHALLENGE: Final = 32  # bytes
_ANSWERED_WITHIN: Final = 300.0  # seconds
_MOST_OPEN: Final = 1000  # challenges; the oldest ones are forgotten


class KeptPasskeys(Protocol):
    """Who has which passkey."""

    def invited(self, invitation: str, now: float) -> KnownPerson | None:
        """Whose invitation it is, without using it."""
        ...

    def join(self, invitation: str, passkey: Passkey, now: float) -> KnownPerson | None:
        """Use an invitation and keep the passkey."""
        ...

    def find(self, credential: bytes, host: str) -> tuple[KnownPerson, Passkey] | None:
        """Whose passkey it is, and the key."""
        ...

    def used(self, passkey: Passkey, count: int) -> bool:
        """Note that it was used."""
        ...


def are_possible(host: str) -> bool:
    """Whether passkeys can be used under this name: the library is there, and the name is none in numerals."""
    if importlib.util.find_spec("webauthn") is None:
        return False
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return bool(host)
    return False


@dataclass(frozen=True, slots=True)
class PageOrigin:
    """Where a browser is: the origin of the page, as the guard has compared it, and the name in it."""

    origin: str
    host: str


class Passkeys:
    """Asks devices and judges what they answer. A question is answered once, and soon."""

    def __init__(self, kept: KeptPasskeys, clock: Callable[[], float]) -> None:
        self._kept, self._clock = kept, clock
        self._open: dict[bytes, float] = {}  # challenge -> when it was made
        self._lock = threading.Lock()

    # A new passkey

    def ask_for_new(self, invitation: str, place: PageOrigin) -> Mapping[str, JSON] | None:
        """What a device needs to make a passkey for whoever was invited; None if nobody was."""
        from webauthn import generate_registration_options, options_to_json
        from webauthn.helpers.structs import (
            AuthenticatorSelectionCriteria,
            ResidentKeyRequirement,
            UserVerificationRequirement,
        )

        person = self._kept.invited(invitation, self._clock())
        if person is None:
            return None
        selection = AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
        )
        options = generate_registration_options(
            rp_id=place.host, rp_name=_NAME, user_name=person.name, user_id=person.id.encode(),
            challenge=self._challenge(), authenticator_selection=selection,
        )  # fmt: skip
        found: dict[str, JSON] = json.loads(options_to_json(options))
        return found

    def join(self, invitation: str, answer: Mapping[str, Any], place: PageOrigin) -> KnownPerson | None:
        """Let whoever was invited in by the passkey that their device made; None if anything is wrong with it."""
        from webauthn import verify_registration_response
        from webauthn.helpers.exceptions import WebAuthnException

        challenge = self._answered(answer)
        if challenge is None:
            return None
        try:
            made = verify_registration_response(
                credential=dict(answer), expected_challenge=challenge, expected_rp_id=place.host,
                expected_origin=place.origin, require_user_verification=True,
            )  # fmt: skip
        except (WebAuthnException, ValueError, TypeError, KeyError):
            return None
        passkey = Passkey(made.credential_id, made.credential_public_key, made.sign_count, place.host)
        return self._kept.join(invitation, passkey, self._clock())

    # One that is there

    def ask(self, place: PageOrigin) -> Mapping[str, JSON]:
        """What a device needs to log somebody in; it knows itself for whom it has passkeys."""
        from webauthn import generate_authentication_options, options_to_json
        from webauthn.helpers.structs import UserVerificationRequirement

        options = generate_authentication_options(
            rp_id=place.host, challenge=self._challenge(), user_verification=UserVerificationRequirement.REQUIRED
        )
        found: dict[str, JSON] = json.loads(options_to_json(options))
        return found

    def log_in(self, answer: Mapping[str, Any], place: PageOrigin) -> KnownPerson | None:
        """Whose passkey has signed; None if nobody's has, or anything is wrong with it."""
        from webauthn import verify_authentication_response
        from webauthn.helpers.exceptions import WebAuthnException

        challenge = self._answered(answer)
        found = self._kept.find(_bytes(answer.get("id")), place.host)
        if challenge is None or found is None:
            return None
        person, passkey = found
        try:
            signed = verify_authentication_response(
                credential=dict(answer), expected_challenge=challenge, expected_rp_id=place.host,
                expected_origin=place.origin, credential_public_key=passkey.public_key,
                credential_current_sign_count=passkey.count, require_user_verification=True,
            )  # fmt: skip
        except (WebAuthnException, ValueError, TypeError, KeyError):
            return None
        return person if self._kept.used(passkey, signed.new_sign_count) else None

    # Questions

    def _challenge(self) -> bytes:
        made, now = secrets.token_bytes(_CHALLENGE), self._clock()
        with self._lock:
            self._open = {one: at for one, at in self._open.items() if at > now - _ANSWERED_WITHIN}
            while len(self._open) >= _MOST_OPEN:
                del self._open[next(iter(self._open))]
            self._open[made] = now
        return made

    def _answered(self, answer: Mapping[str, Any]) -> bytes | None:
        """The question that an answer is to, which is closed by it; None if it is to none of ours."""
        try:
            said = json.loads(_bytes(answer["response"]["clientDataJSON"]))
            challenge = _bytes(said["challenge"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        with self._lock:
            made = self._open.pop(challenge, None)
        return challenge if made is not None and made > self._clock() - _ANSWERED_WITHIN else None


def _bytes(text: object) -> bytes:
    """What stands in the form in which browsers write bytes; nothing if it is no such text."""
    try:
        return base64.urlsafe_b64decode(text + "==") if isinstance(text, str) else b""
    except ValueError:
        return b""
