# ruff: noqa: PLR0917 - kernels take positional arguments alone
"""One task of the CPU engine: pieces of any size, one after the other, until they are done or the buffer is full."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.engines.cpu_compile import inner, kernel
from unveil.engines.cpu_memory import get32
from unveil.engines.cpu_tiles import address, compare_tile, duplicate, keep
from unveil.engines.cpu_vectors import LANES, LINE, ROWS, common, prefetch
from unveil.engines.cpu_work import (
    CHUNK,
    COMPARED,
    FOUND,
    FRESH,
    FULL,
    LEFT,
    PIECE,
    RIGHT,
    Int64s,
    Plain,
    Room,
    Rule,
    Side,
)  # fmt: skip

_AHEAD: Final = 3  # small pieces between asking memory for a piece's rows and comparing them
_FEW: Final = 4  # rows asked for on each side


@kernel
def compare_pieces(
    left: Plain, right: Plain, by: Plain, pieces: Int64s, last: int, state: Int64s, marks: NDArray[np.uint8], at: Plain
) -> None:
    """
    Compare pieces from where the state stands up to `last`; state[FULL] then says whether to come again.

    left, right, by and at are the plain tuples of the two sides, the rule and the room.
    """
    a, b, rule, room = Side(*left), Side(*right), Rule(*by), Room(*at)
    state[FULL], state[FOUND] = 0, 0
    while state[PIECE] < last:
        here, ahead = state[PIECE], state[PIECE] + _AHEAD
        top, bottom, start, stop = pieces[here, 0], pieces[here, 1], pieces[here, 2], pieces[here, 3]
        large = bottom - top >= ROWS and stop - start >= LANES
        if state[FRESH]:
            state[FRESH], state[LEFT], state[CHUNK], state[RIGHT] = 0, top, start, 0
            if large:
                state[COMPARED] += _candidates(a, b, top, bottom, start, stop, marks)
            elif ahead < last:
                _ask(a, pieces[ahead, 0], pieces[ahead, 1], rule.words)
                _ask(b, pieces[ahead, 2], pieces[ahead, 3], rule.words)
        if large:
            compare_tile(a, b, rule, top, bottom, stop, state, room)
        else:
            _compare_few(a, b, rule, bottom, start, stop, state, room)
        if state[FULL]:
            break
        state[PIECE] += 1
        state[FRESH] = 1


@inner
def _candidates(a: Side, b: Side, top: int, bottom: int, start: int, stop: int, marks: NDArray[np.uint8]) -> int:
    """Pairs of the piece that no earlier key has made candidates."""
    width, before = stop - start, 0
    if a.keys > 0:
        for i in range(top, bottom):
            for j in range(width):
                marks[j] = 0
            for key in range(a.keys):
                code = get32(a.codes, key * a.positions + i)
                if code >= 0:
                    for j in range(width):
                        marks[j] |= get32(b.codes, key * b.positions + start + j) == code
            for j in range(width):
                before += marks[j]
    return (bottom - top) * width - before


@inner
def _ask(side: Side, start: int, stop: int, words: int) -> None:
    """Ask memory for some rows: small blocks lie anywhere, and waiting would be most of the work."""
    for position in range(start, min(stop, start + _FEW)):
        source = address(side, position, words)
        for line in range(0, words * 8, LINE):
            prefetch(source + line)


@inner
def _compare_few(a: Side, b: Side, rule: Rule, bottom: int, start: int, stop: int, state: Int64s, room: Room) -> None:
    """Compare a small piece pair by pair, where its rows lie; most pairs fail on their first line of memory."""
    words, first = rule.words, min(rule.words, LINE // 8)
    compared, skip = 0, state[RIGHT]
    for i in range(state[LEFT], bottom):
        x, left = get32(a.ones, i), address(a, i, words)
        rest = x - common(left, left, first)
        for j in range(start + skip, stop):
            if state[FOUND] == room.capacity:
                state[LEFT], state[RIGHT], state[FULL] = i, j - start, 1
                state[COMPARED] += compared
                return
            if duplicate(a, b, i, j):
                continue
            compared += 1
            y, right = get32(b.ones, j), address(b, j, words)
            need = get32(rule.need, x + y)
            if need > min(x, y):
                continue
            both = common(left, right, first)
            if both + rest >= need:
                both += common(left + first * 8, right + first * 8, words - first)
                if both >= need:
                    keep(a, b, rule, i, j, both, x + y, state, room)
        skip = 0
    state[COMPARED] += compared
