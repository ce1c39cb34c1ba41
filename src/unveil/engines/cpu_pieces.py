"""One task of the CPU engine: pieces of any size, one after the other, until they are done or the buffer is full."""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.engines.cpu_compile import kernel
from unveil.engines.cpu_tiles import compare_tile, duplicate, ratio
from unveil.engines.cpu_vectors import LANES, LINE, ROWS, common, prefetch
from unveil.engines.cpu_work import (
    CHUNK, COMPARED, FRESH, FULL, LEFT, PIECE, RIGHT, Hits, Int64s, Room, Rule, Side,
)  # fmt: skip

_AHEAD: Final = 6  # small pieces between asking memory for a piece's rows and comparing them
_FEW: Final = 4  # rows asked for on each side


@kernel
def compare_pieces(
    a: Side, b: Side, rule: Rule, pieces: Int64s, last: int, chunk: int, state: Int64s, room: Room, hits: Hits
) -> int:
    """Compare pieces from where the state stands up to `last`; the number of hits. state[FULL] says to come again."""
    count = 0
    state[FULL] = 0
    while state[PIECE] < last:
        piece = pieces[state[PIECE]]
        large = piece[1] - piece[0] >= ROWS and piece[3] - piece[2] >= LANES
        if state[FRESH]:
            state[FRESH], state[LEFT], state[CHUNK], state[RIGHT] = 0, piece[0], piece[2], 0
            if large:
                state[COMPARED] += _candidates(a, b, piece, room)
            elif state[PIECE] + _AHEAD < last:
                _ask(a, b, rule.words, pieces[state[PIECE] + _AHEAD])
        if large:
            count = compare_tile(a, b, rule, piece, chunk, state, room, hits, count)
        else:
            count = _compare_few(a, b, rule, piece, state, hits, count)
        if state[FULL]:
            break
        state[PIECE] += 1
        state[FRESH] = 1
    return count


@kernel
def _candidates(a: Side, b: Side, piece: Int64s, room: Room) -> int:
    """Pairs of the piece that no earlier key has made candidates."""
    start, width = piece[2], piece[3] - piece[2]
    before = 0
    if a.codes.shape[0] > 0:
        for i in range(piece[0], piece[1]):
            marks = room.marks[:width]
            marks[:] = 0
            for key in range(a.codes.shape[0]):
                code = a.codes[key, i]
                if code >= 0:
                    codes = b.codes[key, start : start + width]
                    for j in range(width):
                        marks[j] |= codes[j] == code
            for j in range(width):
                before += marks[j]
    return (piece[1] - piece[0]) * width - before


@kernel
def _ask(a: Side, b: Side, words: int, piece: Int64s) -> None:
    """Ask memory for the first rows of a piece: blocks of a few rows lie anywhere, and waiting would be most of the work."""
    for i in range(piece[0], min(piece[1], piece[0] + _FEW)):
        for line in range(0, words * 8, LINE):
            prefetch(a.filters + np.int64(a.rows[i]) * words * 8 + line)
    for j in range(piece[2], min(piece[3], piece[2] + _FEW)):
        for line in range(0, words * 8, LINE):
            prefetch(b.filters + np.int64(b.rows[j]) * words * 8 + line)


@kernel
def _compare_few(a: Side, b: Side, rule: Rule, piece: Int64s, state: Int64s, hits: Hits, count: int) -> int:
    """Compare a small piece pair by pair, where its rows lie."""
    size = rule.words * 8
    while state[LEFT] < piece[1]:
        i = state[LEFT]
        x, left = a.ones[i], a.filters + np.int64(a.rows[i]) * size
        for j in range(piece[2] + state[RIGHT], piece[3]):
            if count == len(hits.left):
                state[RIGHT], state[FULL] = j - piece[2], 1
                return count
            if duplicate(a, b, i, j):
                continue
            state[COMPARED] += 1
            y = b.ones[j]
            need = rule.need[x + y]
            if need > x or need > y:
                continue
            both = common(left, b.filters + np.int64(b.rows[j]) * size, rule.words)
            if both >= need:
                hits.left[count], hits.right[count] = a.rows[i], b.rows[j]
                hits.similarity[count] = ratio(rule.measure, both, x, y, rule.m)
                count += 1
        state[LEFT], state[RIGHT] = i + 1, 0
    return count
