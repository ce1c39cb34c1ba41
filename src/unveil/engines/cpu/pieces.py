"""One task of the CPU engine: pieces of any size, one after the other, until they are done or the buffer is full."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.engines.cpu.compile import inner, kernel
from unveil.engines.cpu.memory import get32
from unveil.engines.cpu.small import compare_small, is_small
from unveil.engines.cpu.tiles import compare_tile
from unveil.engines.cpu.work import (
    CHUNK,
    COMPARED,
    FOUND,
    FRESH,
    FULL,
    LEFT,
    PIECE,
    RIGHT,
    Int32s,
    Int64s,
    Plain,
    Rule,
    Scratch,
    Side,
)  # fmt: skip


@kernel
def compare_pieces(
    left: Plain, right: Plain, by: Plain, pieces: Int32s, last: int, state: Int64s, marks: NDArray[np.uint8], at: Plain
) -> None:
    """
    Compare pieces from where the state stands up to `last`; state[FULL] then says whether to come again.

    left, right, by and at are the plain tuples of the two sides, the rule and the room.
    """
    a, b, rule, room = Side(*left), Side(*right), Rule(*by), Scratch(*at)
    state[FULL], state[FOUND] = 0, 0
    while state[PIECE] < last and not state[FULL]:
        here = state[PIECE]
        if is_small(pieces.ctypes.data, here):
            compare_small(a, b, rule, pieces.ctypes.data, last, state.ctypes.data, room)
            continue
        top, bottom, start, stop = pieces[here, 0], pieces[here, 1], pieces[here, 2], pieces[here, 3]
        if state[FRESH]:
            state[FRESH], state[LEFT], state[CHUNK], state[RIGHT] = 0, top, start, 0
            state[COMPARED] += _candidates(a, b, top, bottom, start, stop, marks)
        compare_tile(a, b, rule, top, bottom, stop, state, room)
        if not state[FULL]:
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
