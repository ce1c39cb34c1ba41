"""
Steps that make a record-level filter harder to attack: one table row for each method.

The row says which settings a step of that method takes, how long filters are after it, when it cannot be done, and what
it does to how much two filters agree. Checks, lengths, the models' undoing of hardening and the reference page follow
from the row; the function that does it stands in `encoding.hardening`, bound by the method's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from unveil.errors import Problem
from unveil.settings.base import Settings
from unveil.settings.choices import Choice, OneOf

SHORTEST_FILTER: Final = 64
LONGEST_FILTER: Final = 65536
_WORD: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class HardeningMethod(Choice):
    """
    A method of hardening, as a row of METHODS.

    If both XOR and coins change the agreement of two filters, the coins come last: a bit that is the XOR of t bits
    agrees by c^t where these agreed by c, and coins leave a share of that.
    """

    takes: frozenset[str]  #: settings of a step beside its method
    length: Callable[[Hardening, int], int]  #: bits of a filter after the step on m bits
    wrong: Callable[[Hardening, int], Problem | None]  #: why the step cannot be done on m bits, by setting
    xor_of: Callable[[Hardening], int]  #: how many bits each bit is the XOR of
    coins_leave: Callable[[Hardening], float] | None  #: share of agreement that coins leave; None if none is tossed


def _same(_: Hardening, m: int) -> int:
    return m


def _chosen(step: Hardening, m: int) -> int:
    return step.m or m


def _nothing(_: Hardening, __: int) -> None:
    return None


def _odd(step: Hardening, m: int) -> Problem | None:
    what, allowed = f"{m} bits cannot be halved", f"an even length before {step.method}"
    return Problem("method", what, allowed) if m % 2 else None


def _impossible_diffusion(step: Hardening, m: int) -> Problem | None:
    if step.t > m:
        return Problem("t", f"{step.t} positions of only {m} bits", f"at most {m}")
    if len(set(step.by)) < len(step.by):
        return Problem("by", "a field is named twice", "each field once")
    most = (step.m or m) // SHORTEST_FILTER
    return Problem("by", f"{len(step.by)} fields", f"at most {most} for this length") if len(step.by) > most else None


#: Every method of hardening. Adding one is a row here and a function in `encoding.hardening`.
METHODS: Final[dict[str, HardeningMethod]] = {
    "xor-fold": HardeningMethod(
        sentence="the second half of a filter is laid over the first: half as many bits, each the XOR of two",
        takes=frozenset(),
        length=lambda _, m: m // 2,
        wrong=_odd,
        xor_of=lambda _: 2,
        coins_leave=None,
    ),
    "balance": HardeningMethod(
        sentence="the inverse of a filter is appended to it and all is shuffled under a key: every filter has as many "
        "ones as any other",
        takes=frozenset(),
        length=lambda _, m: 2 * m,
        wrong=_nothing,
        xor_of=lambda _: 1,
        coins_leave=None,
    ),
    "rule-90": HardeningMethod(
        sentence="each bit becomes the XOR of its two neighbours",
        takes=frozenset(),
        length=_same,
        wrong=_nothing,
        xor_of=lambda _: 2,
        coins_leave=None,
    ),
    "re-sampling": HardeningMethod(
        sentence="each bit is the XOR of two positions drawn under a key",
        takes=frozenset({"m"}),
        length=_chosen,
        wrong=_nothing,
        xor_of=lambda _: 2,
        coins_leave=None,
    ),
    "diffusion": HardeningMethod(
        sentence="each bit is the XOR of t different positions drawn under a key, and with `by` under the values of "
        "fields, so that only records that agree on a field are alike in its part of the filter",
        takes=frozenset({"t", "m", "by"}),
        length=_chosen,
        wrong=_impossible_diffusion,
        xor_of=lambda step: step.t,
        coins_leave=None,
    ),
    "permutation": HardeningMethod(
        sentence="bits are shuffled under a key, which hides positions and changes no similarity",
        takes=frozenset(),
        length=_same,
        wrong=_nothing,
        xor_of=lambda _: 1,
        coins_leave=None,
    ),
    "randomised-response": HardeningMethod(
        sentence="each bit is replaced by a fair coin with probability f, afresh for every record",
        takes=frozenset({"f"}),
        length=_same,
        wrong=_nothing,
        xor_of=lambda _: 1,
        coins_leave=lambda step: (1 - step.f) ** 2,
    ),
}


def _taken_by(setting: str) -> str:
    return ", ".join(sorted(name for name, method in METHODS.items() if setting in method.takes))


class Hardening(Settings):
    """One step that makes a record-level filter harder to attack."""

    method: Annotated[str, OneOf(METHODS)] = Field(description="name of the method")
    t: int = Field(3, ge=2, le=64, description=f"{_taken_by('t')}: positions that each output bit is the XOR of")
    m: int | None = Field(
        None, ge=SHORTEST_FILTER, le=LONGEST_FILTER, description=f"{_taken_by('m')}: length of the output"
    )
    by: tuple[str, ...] = Field(
        (),
        description=f'{_taken_by("by")}: fields, such as "year_of(date_of_birth)"; each has an equal part of the '
        "output, mixed anew for each of its values",
    )
    f: float = Field(0.05, ge=0, le=1, description=f"{_taken_by('f')}: share of bits replaced by a fair coin")


def length_after(steps: Iterable[Hardening], m: int) -> int:
    """Bits of a filter after these steps on m bits."""
    for step in steps:
        m = METHODS[step.method].length(step, m)
    return m


def parts(m: int, count: int) -> list[tuple[int, int]]:
    """Where the parts of m bits begin and end: in the middle of a word none does."""
    whole = m // _WORD
    ends = [_WORD * (whole * part // count) for part in range(1, count)] + [m]
    return list(zip([0, *ends[:-1]], ends, strict=True))


def salted_parts(steps: Iterable[Hardening], m: int) -> list[tuple[int, int]]:
    """Where the parts of filters that have m bits after these steps begin and end, each salted by another field."""
    found = [(0, m)]
    for step in steps:
        if METHODS[step.method].coins_leave is None:
            found = parts(m, len(step.by)) if step.by else [(0, m)]
    return found


def impossible_steps(steps: Iterable[Hardening], m: int) -> Iterator[Problem]:
    """What is wrong with these steps on filters of m bits, by the number of the step and its setting."""
    for index, step in enumerate(steps):
        method = METHODS[step.method]
        fields = type(step).model_fields
        for key in sorted(step.model_fields_set - method.takes - {"method"}):
            # A schema that is written out names every setting; as it is by default it says nothing.
            if getattr(step, key) == fields[key].default:
                continue
            allowed = ", ".join(("method", *sorted(method.takes)))
            yield Problem(f"{index}.{key}", f"{step.method} does not take it", allowed)
        if found := method.wrong(step, m):
            yield Problem(f"{index}.{found.key}", found.what, found.allowed)
        m = method.length(step, m)
        if not SHORTEST_FILTER <= m <= LONGEST_FILTER:
            yield Problem(f"{index}", f"makes filters of {m} bits", f"{SHORTEST_FILTER} to {LONGEST_FILTER} bits")
            return
