"""
Small pieces: a few rows on either side, pair by pair, where the rows lie.

Small blocks lie anywhere in memory, so what counts is how many lines of it they touch and how many are on their way at
a time. Most pairs fail on one line of each row, and those are asked for some pieces ahead.
"""

from __future__ import annotations

from typing import Final

from unveil.engines.cpu.compile import in_place, inner
from unveil.engines.cpu.memory import get32, get64, put64
from unveil.engines.cpu.tiles import address, duplicate, keep
from unveil.engines.cpu.vectors import LANES, LINE, ROWS, common, common_line, prefetch
from unveil.engines.cpu.work import COMPARED, FOUND, FRESH, FULL, LEFT, PIECE, RIGHT, Rule, Scratch, Side

_AHEAD: Final = 4  # small pieces between asking memory for a piece's rows and comparing them
_FEW: Final = 4  # rows asked for on each side


@in_place
def is_small(pieces: int, piece: int) -> bool:
    """Whether a piece would not fill a tile."""
    rows = get32(pieces, 4 * piece + 1) - get32(pieces, 4 * piece)
    return rows < ROWS or get32(pieces, 4 * piece + 3) - get32(pieces, 4 * piece + 2) < LANES


@inner
def compare_small(a: Side, b: Side, rule: Rule, pieces: int, last: int, state: int, room: Scratch) -> None:
    """
    Compare pieces from where the state stands up to `last`, the first large one, or until the buffer is full.

    pieces and state are addresses, and the state stays in registers meanwhile.
    """
    piece, fresh, left, right = get64(state, PIECE), get64(state, FRESH), get64(state, LEFT), get64(state, RIGHT)
    found, compared, skip = get64(state, FOUND), get64(state, COMPARED), _window(a, rule.words)
    while piece < last and is_small(pieces, piece):
        if piece + _AHEAD < last:
            _ask(a, pieces, 4 * (piece + _AHEAD), rule.words, skip)
            _ask(b, pieces, 4 * (piece + _AHEAD) + 2, rule.words, skip)
        bottom, start, stop = get32(pieces, 4 * piece + 1), get32(pieces, 4 * piece + 2), get32(pieces, 4 * piece + 3)
        if fresh:
            left, right = get32(pieces, 4 * piece), start
        left, right, found, new = _compare(a, b, rule, left, bottom, right, start, stop, skip, found, room)
        compared += new
        fresh = left == bottom
        if not fresh:
            break
        piece += 1
    put64(state, PIECE, piece)
    put64(state, FRESH, fresh)
    put64(state, FULL, not fresh)
    put64(state, LEFT, left)
    put64(state, RIGHT, right)
    put64(state, FOUND, found)
    put64(state, COMPARED, compared)


@in_place
def _compare(
    a: Side,
    b: Side,
    rule: Rule,
    left: int,
    bottom: int,
    right: int,
    start: int,
    stop: int,
    skip: int,
    at: int,
    room: Scratch,
) -> tuple[int, int, int, int]:
    """
    Compare a piece from the pair (left, right) on, with `at` hits in the buffer before.

    Returns the pair that found no room, with left = bottom if there was room for all; the hits; and the candidates.
    """
    words, found, compared = rule.words, at, 0
    for i in range(left, bottom):
        x, source = get32(a.ones, i), address(a, i, words)
        rest = x - _first(source, source, words, skip)
        for j in range(right, stop):
            if found == room.capacity:
                return i, j, found, compared
            if duplicate(a, b, i, j):
                continue
            compared += 1
            y, target = get32(b.ones, j), address(b, j, words)
            need, both = get32(rule.need, x + y), _first(source, target, words, skip)
            if need > min(x, y) or both + rest < need:
                continue
            # The right row's own rest is counted for the few pairs that it can spare the rest of their words.
            if both + y - _first(target, target, words, skip) >= need:
                found += _decide(a, b, rule, i, j, need, found, room)
        right = start
    return bottom, start, found, compared


@in_place
def _window(side: Side, words: int) -> int:
    """
    First of the LANES words that are looked at first: they lie on one line of memory in every row if that can be.

    Any words may decide first, and arrays seldom begin where a line does: NumPy's begin 16 bytes after a page.
    """
    skip = -side.filters % LINE // 8
    return skip if words % LANES == 0 and skip + LANES <= words else 0


@in_place
def _first(left: int, right: int, words: int, skip: int) -> int:
    """Common ones of two rows in the window; of rows that are shorter, nothing is known before they are compared."""
    return common_line(left + skip * 8, right + skip * 8) if words >= LANES else 0


@in_place
def _ask(side: Side, pieces: int, at: int, words: int, skip: int) -> None:
    """Ask memory for the window of the rows of one side of a piece."""
    start, stop = get32(pieces, at), get32(pieces, at + 1)
    # Its first and last row are all that most blocks have; for them there is no loop.
    prefetch(address(side, start, words) + skip * 8)
    prefetch(address(side, stop - 1, words) + skip * 8)
    for position in range(start + 1, min(stop - 1, start + _FEW)):
        prefetch(address(side, position, words) + skip * 8)


@inner
def _decide(a: Side, b: Side, rule: Rule, i: int, j: int, need: int, at: int, room: Scratch) -> int:
    """Compare all words of a pair and keep it if it reaches the floor; how many hits that is."""
    both = common(address(a, i, rule.words), address(b, j, rule.words), rule.words)
    if both < need:
        return 0
    keep(a, b, rule, i, j, both, get32(a.ones, i) + get32(b.ones, j), at, room)
    return 1
