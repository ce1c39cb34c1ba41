"""
Large pieces: chunks of right rows, packed in groups, against quads of left rows.

Rows stand by number of ones on both sides, so the right rows that a quad can reach at all are one range. Within it a
group is left after the words of the prefix if no pair could reach the floor even if all of the left row's remaining
ones were common: c(prefix) + ones(rest) < needed.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.engines.cpu_compile import kernel
from unveil.engines.cpu_vectors import LANES, ROWS, common, counts, reaches, word
from unveil.engines.cpu_work import CHUNK, FULL, LEFT, RIGHT, Hits, Int32s, Int64s, Room, Rule, Side

_NEVER: Final = -(1 << 40)  # a sum that starts here reaches nothing: the missing rows of the last quad
_DICE: Final = 0
_JACCARD: Final = 1


@kernel
def ratio(measure: int, both: int, left: int, right: int, m: int) -> float:
    """The similarity: the same division of the same integers as in `measure.similarity`."""
    total = np.int64(left) + np.int64(right)
    if measure == _DICE:
        return 2 * both / total if total > 0 else 0.0
    if measure == _JACCARD:
        return both / (total - both) if total > 0 else 0.0
    return (m - total + 2 * both) / m


@kernel
def duplicate(a: Side, b: Side, i: int, j: int) -> bool:
    """Whether the pair was a candidate by an earlier key already."""
    for key in range(a.codes.shape[0]):
        code = a.codes[key, i]
        if code >= 0 and code == b.codes[key, j]:
            return True
    return False


@kernel
def reachable(ones: Int32s, start: int, stop: int, fewest: int, most: int, need: Int32s) -> tuple[int, int]:
    """The positions in start:stop with y ones such that needed[x + y] <= min(x, y) for some x from fewest to most."""
    low, end = start, stop
    while low < end:
        middle = (low + end) // 2
        y = ones[middle]
        if y >= fewest or need[fewest + y] <= y:
            end = middle
        else:
            low = middle + 1
    high, end = low, stop
    while high < end:
        middle = (high + end) // 2
        y = ones[middle]
        if y <= most or need[most + y] <= most:
            high = middle + 1
        else:
            end = middle
    return low, high


@kernel
def compare_tile(
    a: Side, b: Side, rule: Rule, piece: Int64s, chunk: int, state: Int64s, room: Room, hits: Hits, count: int
) -> int:
    """Compare a piece from where its state stands; the number of hits so far."""
    left, left_stop, right_stop = piece[0], piece[1], piece[3]
    while state[CHUNK] < right_stop:
        stop = min(state[CHUNK] + chunk, right_stop)
        low, high = reachable(b.ones, state[CHUNK], stop, a.ones[left], a.ones[left_stop - 1], rule.need)
        if low < high:
            _pack(b, rule.words, low, high, room)
            count = _compare_chunk(a, b, rule, left_stop, low, high, state, room, hits, count)
            if state[FULL]:
                return count
        state[CHUNK], state[LEFT] = stop, left
    return count


@kernel
def _compare_chunk(
    a: Side, b: Side, rule: Rule, left_stop: int, low: int, high: int, state: Int64s, room: Room, hits: Hits, count: int
) -> int:
    """Every quad of the piece against the packed rows low:high."""
    while state[LEFT] < left_stop:
        first = state[LEFT]
        size = min(ROWS, left_stop - first)
        begin, end = reachable(b.ones, low, high, a.ones[first], a.ones[first + size - 1], rule.need)
        if begin < end:
            _gather(a, rule, first, size, room)
            state[RIGHT] = max(state[RIGHT], (begin - low) // LANES)
            groups = (end - low + LANES - 1) // LANES
            count = _compare_quad(a, b, rule, first, size, low, high, groups, state, room, hits, count)
            if state[FULL]:
                return count
        state[LEFT], state[RIGHT] = first + size, 0
    return count


@kernel
def _compare_quad(
    a: Side, b: Side, rule: Rule, first: int, size: int, low: int, high: int, groups: int,
    state: Int64s, room: Room, hits: Hits, count: int,
) -> int:  # fmt: skip
    """The quad at position `first` against the groups from state[RIGHT] on."""
    ones, words, prefix = -1, rule.words, rule.prefix
    for group in range(state[RIGHT], groups):
        position = low + group * LANES
        packed = room.groups_at + group * words * LANES * 8
        if b.ones[position] != ones:
            ones = b.ones[position]
            _start(a, rule, first, size, ones, room)
        if not reaches(room.quad_at, packed, prefix, room.partial_at):
            continue
        if prefix < words and not reaches(room.quad_at, packed, words, room.entire_at):
            continue
        if count + ROWS * LANES > len(hits.left):
            state[RIGHT], state[FULL] = group, 1
            return count
        counts(room.quad_at, packed, words, room.counts_at)
        count = _keep(a, b, rule, first, size, position, min(LANES, high - position), room, hits, count)
    return count


@kernel
def _start(a: Side, rule: Rule, first: int, size: int, ones: int, room: Room) -> None:
    """Where the sums of a quad start against right rows with at least so many ones: needed rises with ones."""
    for row in range(ROWS):
        room.partial[row] = room.entire[row] = _NEVER
        if row < size:
            room.entire[row] = -np.int64(rule.need[a.ones[first + row] + ones])
            room.partial[row] = room.entire[row] + room.rest[row]


@kernel
def _keep(
    a: Side, b: Side, rule: Rule, first: int, size: int, position: int, lanes: int, room: Room, hits: Hits, count: int
) -> int:
    """Decide each pair of quad and group by its own count; keep those that reach the floor."""
    for row in range(size):
        x = a.ones[first + row]
        for lane in range(lanes):
            y, both = b.ones[position + lane], room.counts[row * LANES + lane]
            if both >= rule.need[x + y] and not duplicate(a, b, first + row, position + lane):
                hits.left[count], hits.right[count] = a.rows[first + row], b.rows[position + lane]
                hits.similarity[count] = ratio(rule.measure, both, x, y, rule.m)
                count += 1
    return count


@kernel
def _gather(a: Side, rule: Rule, first: int, size: int, room: Room) -> None:
    """Lay out a quad's rows word by word, and count their ones after the prefix."""
    for row in range(ROWS):
        if row < size:
            address = a.filters + np.int64(a.rows[first + row]) * rule.words * 8
            for w in range(rule.words):
                room.quad[w * ROWS + row] = word(address + w * 8)
            tail = address + rule.prefix * 8
            room.rest[row] = common(tail, tail, rule.words - rule.prefix)


@kernel
def _pack(b: Side, words: int, low: int, high: int, room: Room) -> None:
    """Lay out right rows in groups, word by word. What an incomplete last group held before is never kept as a hit."""
    for position in range(low, high):
        address = b.filters + np.int64(b.rows[position]) * words * 8
        place = (position - low) // LANES * LANES * words + (position - low) % LANES
        for w in range(words):
            room.groups[place + w * LANES] = word(address + w * 8)
