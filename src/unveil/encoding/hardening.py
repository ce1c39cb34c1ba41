"""
Steps that make a record-level filter harder to attack.

Each takes packed filters of m bits and returns new ones. All but randomised response are the same idea: an output bit
is the XOR of some input bits, perhaps flipped, and the steps differ in which. What each protects against, and what it
costs in quality, differs widely.

What a method takes and what follows from it stands in its row of `schema.hardening`; here is how it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import draws
from unveil.encoding.bits import chunks, pack, unpack
from unveil.encoding.blocking_keys import Field
from unveil.encoding.keys import Subkeys
from unveil.encoding.salting import salted_diffusion
from unveil.errors import SettingError
from unveil.linkage.bits import word_count
from unveil.safety.coins import Coins, SeededCoins
from unveil.schema import Hardening
from unveil.schema.hardening import METHODS, length_after
from unveil.settings.choices import binding

Filters = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, repr=False)
class HardeningInput:
    """
    What a method works on: filters of m bits, the settings of the step, its key, and perhaps a source of coins.

    `fields` are those that the step is salted by.
    """

    filters: Filters
    m: int
    step: Hardening
    key: bytes
    rng: Coins | np.random.Generator | None
    fields: Sequence[Field] = ()

    @property
    def coins(self) -> Coins:
        """The coins to toss; SettingError if there are none."""
        if self.rng is None:
            raise SettingError(f"{self.step.method.replace('-', ' ')} needs a random generator", hint="pass rng")
        return SeededCoins(self.rng) if isinstance(self.rng, np.random.Generator) else self.rng

    def __repr__(self) -> str:
        return f"HardeningInput(<{len(self.filters)} filters of {self.m} bits, {self.step.method}>)"


#: What steps are salted by where none is.
NO_FIELDS: Final[Mapping[str, Field]] = MappingProxyType({})

#: The function behind each method.
FUNCTIONS: Final[dict[str, Callable[[HardeningInput], Filters]]] = {}
hardens = binding(METHODS, FUNCTIONS)


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


def randomised_response(filters: Filters, *, m: int, f: float, coins: Coins) -> Filters:
    """
    Each bit becomes a fair coin with probability f, drawn afresh for every record: m bits.

    In the field `coins` are secret ones: whoever can toss them again can take the noise off again.
    """
    out = np.empty_like(filters)
    for part in chunks(len(filters), 8 * m):
        replaced = pack(coins.heads(f, (len(filters[part]), m)).view(np.uint8))
        out[part] = (filters[part] & ~replaced) | (coins.words(replaced.shape) & replaced)
    return out


@hardens("xor-fold")
def _xor_fold(given: HardeningInput) -> Filters:
    return xor_fold(given.filters, m=given.m)


@hardens("balance")
def _balance(given: HardeningInput) -> Filters:
    return balance(given.filters, m=given.m, key=given.key)


@hardens("rule-90")
def _rule_90(given: HardeningInput) -> Filters:
    return rule_90(given.filters, m=given.m)


@hardens("re-sampling")
def _re_sampling(given: HardeningInput) -> Filters:
    return re_sampling(given.filters, m=given.m, key=given.key, m_out=given.step.m)


@hardens("diffusion")
def _diffusion(given: HardeningInput) -> Filters:
    if not given.step.by:
        return diffusion(given.filters, m=given.m, key=given.key, t=given.step.t, m_out=given.step.m)
    m_out = given.step.m or given.m
    return salted_diffusion(given.filters, given.fields, m=given.m, key=given.key, t=given.step.t, m_out=m_out)


@hardens("permutation")
def _permutation(given: HardeningInput) -> Filters:
    return permutation(given.filters, m=given.m, key=given.key)


@hardens("randomised-response")
def _randomised_response(given: HardeningInput) -> Filters:
    return randomised_response(given.filters, m=given.m, f=given.step.f, coins=given.coins)


def harden(
    filters: Filters,
    steps: Sequence[Hardening],
    *,
    m: int,
    keys: Subkeys,
    rng: Coins | np.random.Generator | None,
    fields: Mapping[str, Field] = NO_FIELDS,
) -> Filters:
    """
    The filters after these steps, in order; step i has the key ("hardening", step i, method).

    `fields` holds the values of those that steps are salted by.
    """
    for index, step in enumerate(steps):
        key = keys.of("hardening", step=str(index), method=step.method)
        given = HardeningInput(filters, m, step, key, rng, [fields[each] for each in step.by])
        filters = FUNCTIONS[step.method](given)
        m = length_after([step], m)
    return filters


def needs_chance(steps: Sequence[Hardening]) -> bool:
    """Whether one of these steps tosses coins, so that hardening is not the same twice."""
    return any(METHODS[step.method].coins_leave is not None for step in steps)


def hardened_length(steps: Sequence[Hardening], m: int) -> int:
    """Length in bits after these steps on m bits; a step that cannot be done raises SettingError."""
    for step in steps:
        if problem := METHODS[step.method].wrong(step, m):
            raise SettingError(f"{step.method} cannot be done: {problem.what}", hint=f"choose {problem.allowed}")
        m = length_after([step], m)
    return m


def _xor_of(
    filters: Filters, m: int, sources: NDArray[np.int64], *, flipped: NDArray[np.bool_] | None = None
) -> Filters:
    """Output bit i is the XOR of input bits sources[i], inverted where flipped[i]."""
    out = np.empty((len(filters), word_count(len(sources))), dtype=np.uint64)
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
