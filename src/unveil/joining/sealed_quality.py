"""How good the links seem, exactly, sealed with them: for whoever may join, and of one size whatever it says."""

from __future__ import annotations

from typing import Final

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from unveil.joining.join_keys import derived
from unveil.joining.sealed_pairs import Place
from unveil.linkage.estimate import Estimate
from unveil.protocol.messages import FIGURES, REAL

_ONCE: Final = bytes(12)  # every key here seals once
_NOTHING, _DOUBTFUL, _TRUSTED = 0, 1, 2  # the mark: no estimate, one that is not to be trusted, one that is


def seal_quality(estimate: Estimate | None, secret: bytes, place: Place) -> bytes:
    """The estimate for whoever has the key to this owner's pairs; None is as long as any."""
    plain = bytes(1 + FIGURES * REAL)
    if estimate is not None:
        figures = np.array([estimate.precision, estimate.recall, estimate.f1], "<f8")
        plain = bytes([_TRUSTED if estimate.trusted else _DOUBTFUL]) + figures.tobytes()
    return _box(secret, place).encrypt(_ONCE, plain, place.of_part(0, 1))


def unseal_quality(sealed: bytes, secret: bytes, place: Place) -> Estimate | None:
    """The estimate; None if there is none, ValueError if it was not sealed like this."""
    try:
        plain = _box(secret, place).decrypt(_ONCE, sealed, place.of_part(0, 1))
    except InvalidTag:
        raise ValueError("the quality of links was sealed otherwise") from None
    return None if plain[0] == _NOTHING else estimate_of(plain[1:], trusted=plain[0] == _TRUSTED)


def estimate_of(figures: bytes, *, trusted: bool) -> Estimate:
    """The estimate whose nine figures these are; ValueError if they are not shares, or out of order."""
    numbers = np.frombuffer(figures, "<f8").reshape(3, 3)
    if not ((numbers >= 0) & (numbers <= 1)).all() or (np.diff(numbers, axis=1) < 0).any():
        raise ValueError("figures of quality are shares: low, point and high")
    precision, recall, f1 = ((float(low), float(point), float(high)) for low, point, high in numbers)
    return Estimate(precision, recall, f1, trusted)


def _box(secret: bytes, place: Place) -> AESGCM:
    return AESGCM(derived(secret, b"unveil join quality 1" + place.owner.encode()))
