"""
Steps that make a record-level filter harder to attack.

Each takes packed filters of m bits and returns new ones. All but randomised response are the same idea: an output bit
is the XOR of some input bits, perhaps flipped, and the steps differ in which. What each protects against, and what it
costs in quality, differs widely.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import draws
from unveil.encoding.bits import chunks, pack, unpack, words_for
from unveil.encoding.keys import Subkeys
from unveil.errors import SettingError
from unveil.schema import Hardening

Filters = NDArray[np.uint64]


def xor_fold(filters: Filters, *, m: int) -> Filters:
    """b[:m/2] ⊕ b[m/2:]: m/2 bits."""
    half = np.arange(m // 2)
    return _xor_of(filters, m, np.stack([half, half + m // 2], axis=1))


def balance(filters: Filters, *, m: int, key: bytes) -> Filters:
    """¬b appended to b, then a keyed permutation: 2m bits, of which m are set in every filter."""
    place = draws.permutation(key, 2 * m)
    return _xor_of(filters, m, (place % m)[:, None], flipped=place >= m)


def rule_90(filters: Filters, *, m: int) -> Filters:
    """b'ᵢ = bᵢ₋₁ ⊕ bᵢ₊₁, circular: m bits."""
    i = np.arange(m)
    return _xor_of(filters, m, np.stack([(i - 1) % m, (i + 1) % m], axis=1))


def re_sampling(filters: Filters, *, m: int, key: bytes, m_out: int | None = None) -> Filters:
    """b'ᵢ = b_r ⊕ b_s, r and s drawn independently for every i: m_out bits (m if not given)."""
    return _xor_of(filters, m, draws.draw(key, m, (m_out or m, 2)))


def diffusion(filters: Filters, *, m: int, key: bytes, t: int, m_out: int | None = None) -> Filters:
    """b'ᵢ = XOR of t distinct positions drawn for every i: m_out bits (m if not given)."""
    return _xor_of(filters, m, draws.draw_distinct(key, m, (m_out or m, t)))


def permutation(filters: Filters, *, m: int, key: bytes) -> Filters:
    """b'ᵢ = b_π(i) for a keyed permutation π: m bits."""
    return _xor_of(filters, m, draws.permutation(key, m)[:, None])


def randomised_response(filters: Filters, *, m: int, f: float, rng: np.random.Generator) -> Filters:
    """
    Each bit becomes a fair coin with probability f, drawn afresh for every record: m bits.

    Seed `rng` from the system's entropy: whoever can guess the seed can take the noise off again.
    """
    out = np.empty_like(filters)
    for part in chunks(len(filters), 8 * m):
        replaced = pack((rng.random((len(filters[part]), m)) < f).view(np.uint8))
        coins = rng.integers(0, 1 << 64, size=replaced.shape, dtype=np.uint64)
        out[part] = (filters[part] & ~replaced) | (coins & replaced)
    return out


def harden(
    filters: Filters, steps: Sequence[Hardening], *, m: int, keys: Subkeys, rng: np.random.Generator | None
) -> Filters:
    """The filters after these steps, in order; step i has the key ("hardening", step i, method)."""
    for index, step in enumerate(steps):
        key = keys.of("hardening", step=str(index), method=step.method)
        filters = _apply(step, filters, m=m, key=key, rng=rng)
        m = _length_after(step, m)
    return filters


def hardened_length(steps: Sequence[Hardening], m: int) -> int:
    """Length in bits after these steps on m bits; a step that cannot be done raises SettingError."""
    for step in steps:
        m = _length_after(step, m)
    return m


def _apply(step: Hardening, filters: Filters, *, m: int, key: bytes, rng: np.random.Generator | None) -> Filters:
    match step.method:
        case "xor-fold":
            hardened = xor_fold(filters, m=m)
        case "balance":
            hardened = balance(filters, m=m, key=key)
        case "rule-90":
            hardened = rule_90(filters, m=m)
        case "re-sampling":
            hardened = re_sampling(filters, m=m, key=key, m_out=step.m)
        case "diffusion":
            hardened = diffusion(filters, m=m, key=key, t=step.t, m_out=step.m)
        case "permutation":
            hardened = permutation(filters, m=m, key=key)
        case "randomised-response":
            if rng is None:
                raise SettingError("randomised response needs a random generator", hint="pass rng")
            hardened = randomised_response(filters, m=m, f=step.f, rng=rng)
    return hardened


def _length_after(step: Hardening, m: int) -> int:
    match step.method:
        case "xor-fold":
            if m % 2:
                raise SettingError(f"xor-fold cannot halve {m} bits", hint="choose an even length")
            return m // 2
        case "balance":
            return 2 * m
        case "diffusion" if step.t > m:
            raise SettingError(f"diffusion cannot draw {step.t} distinct positions of {m}", hint="choose a smaller t")
        case "diffusion" | "re-sampling":
            return step.m or m
        case _:
            return m


def _xor_of(
    filters: Filters, m: int, sources: NDArray[np.int64], *, flipped: NDArray[np.bool_] | None = None
) -> Filters:
    """Output bit i is the XOR of input bits sources[i], inverted where flipped[i]."""
    out = np.empty((len(filters), words_for(len(sources))), dtype=np.uint64)
    for part in chunks(len(filters), max(m, len(sources))):
        # Turned on its side, one row per bit position and eight records to the byte: XOR-ing whole rows makes the
        # price nearly independent of how many sources a bit has.
        rows = np.packbits(np.ascontiguousarray(unpack(filters[part], m).T), axis=1)
        mixed = rows[sources[:, 0]]
        for column in range(1, sources.shape[1]):
            mixed ^= rows[sources[:, column]]
        if flipped is not None:
            mixed[flipped] ^= 0xFF
        unpacked = np.unpackbits(mixed, axis=1, count=len(filters[part]))
        out[part] = pack(np.ascontiguousarray(unpacked.T))
    return out
