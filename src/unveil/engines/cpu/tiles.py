"""
Large pieces: chunks of right rows, packed in groups, against quads of left rows.

Rows stand by number of ones on both sides, so the right rows that a quad can reach at all are one range. Within it a
group is left after the words of the prefix if no pair could reach the floor even if all of the left row's remaining
ones were common: c(prefix) + ones(rest) < needed. How two words are counted at once, and what each row brings to
that by itself, is told in `vectors`.
"""

from __future__ import annotations

from typing import Final

from unveil.engines.cpu.compile import in_place, inner
from unveil.engines.cpu.memory import get32, get64, put32, put64, put_float
from unveil.engines.cpu.vectors import LANES, LINE, ROWS, common, pack_left, pack_right, prefetch, reaches
from unveil.engines.cpu.work import CHUNK, FOUND, FULL, LEFT, RIGHT, Int64s, Rule, Scratch, Side

_NEVER: Final = -(1 << 40)  # a sum that starts here reaches nothing: the missing rows of the last quad
_DICE: Final = 0
_JACCARD: Final = 1


@inner
def ratio(measure: int, both: int, total: int, m: int) -> float:
    """The similarity by common ones and the sum of ones: the same division as in `measure.similarity`."""
    if measure == _DICE:
        return 2 * both / total if total > 0 else 0.0
    if measure == _JACCARD:
        return both / (total - both) if total > 0 else 0.0
    return (m - total + 2 * both) / m


@in_place
def by_twos(words: int) -> int:
    """How many times two words these are, the last perhaps with nothing beside it."""
    return (words + 1) // 2


@in_place
def group_words(words: int) -> int:
    """Words of a packed group: those of its rows, and what they lack before and behind the prefix."""
    return 2 * (by_twos(words) + 1) * LANES


@inner
def address(side: Side, position: int, words: int) -> int:
    """Where the filter at a position lies."""
    return side.filters + get32(side.rows, position) * words * 8


@inner
def duplicate(a: Side, b: Side, i: int, j: int) -> bool:
    """Whether the pair was a candidate by an earlier key already."""
    for key in range(a.keys):
        code = get32(a.codes, key * a.positions + i)
        if code >= 0 and code == get32(b.codes, key * b.positions + j):
            return True
    return False


@inner
def keep(a: Side, b: Side, rule: Rule, i: int, j: int, both: int, total: int, at: int, room: Scratch) -> None:
    """Write down the hit number `at`."""
    put32(room.left, at, get32(a.rows, i))
    put32(room.right, at, get32(b.rows, j))
    put_float(room.similarity, at, ratio(rule.measure, both, total, rule.m))


@inner
def _reachable(ones: int, start: int, stop: int, fewest: int, most: int, need: int) -> tuple[int, int]:
    """The positions in start:stop with y ones such that needed[x + y] <= min(x, y) for some x from fewest to most."""
    low, end = start, stop
    while low < end:
        middle = (low + end) // 2
        y = get32(ones, middle)
        if y >= fewest or get32(need, fewest + y) <= y:
            end = middle
        else:
            low = middle + 1
    high, end = low, stop
    while high < end:
        middle = (high + end) // 2
        y = get32(ones, middle)
        if y <= most or get32(need, most + y) <= most:
            high = middle + 1
        else:
            end = middle
    return low, high


@inner
def compare_tile(
    a: Side, b: Side, rule: Rule, top: int, bottom: int, right_stop: int, state: Int64s, room: Scratch
) -> None:
    """Compare a piece from where its state stands: every quad of its left rows with chunk after chunk of its right."""
    ones, need = b.ones, rule.need
    while state[CHUNK] < right_stop:
        stop = min(state[CHUNK] + rule.chunk, right_stop)
        low, high = _reachable(ones, state[CHUNK], stop, get32(a.ones, top), get32(a.ones, bottom - 1), need)
        if low < high:
            _pack(b, rule, low, high, room)
        while low < high and state[LEFT] < bottom:
            first = state[LEFT]
            size = min(ROWS, bottom - first)
            fewest, most = get32(a.ones, first), get32(a.ones, first + size - 1)
            begin, end = _reachable(ones, low, high, fewest, most, need)
            if begin < end:
                _gather(a, rule, first, size, room)
                _ask(a, rule.words, first + size, min(bottom, first + size + ROWS))
                state[RIGHT] = max(state[RIGHT], (begin - low) // LANES)
                _compare_quad(a, b, rule, first, size, low, high, end, state, room)
                if state[FULL]:
                    return
            state[LEFT], state[RIGHT] = first + size, 0
        state[CHUNK], state[LEFT] = stop, top


@inner
def _compare_quad(
    a: Side, b: Side, rule: Rule, first: int, size: int, low: int, high: int, end: int, state: Int64s, room: Scratch
) -> None:
    """The quad at position `first` against the groups of low:high from state[RIGHT] on, up to position `end`."""
    ones, twos, prefix = -1, by_twos(rule.words), by_twos(rule.prefix)
    for group in range(state[RIGHT], (end - low + LANES - 1) // LANES):
        position = low + group * LANES
        packed = room.groups + group * group_words(rule.words) * 8
        if get32(b.ones, position) != ones:
            ones = get32(b.ones, position)
            _start(a, rule, first, size, ones, room)
        if not reaches(room.quad, packed, prefix, twos, room.start, room.rest + 8 * ROWS, room.counts):
            continue
        if state[FOUND] + ROWS * LANES > room.capacity:
            state[RIGHT], state[FULL] = group, 1
            return
        _decide(a, b, rule, first, size, position, min(LANES, high - position), ones, state, room)


@inner
def _start(a: Side, rule: Rule, first: int, size: int, ones: int, room: Scratch) -> None:
    """Where the sums of a quad start against right rows with at least so many ones: needed rises with ones."""
    for row in range(ROWS):
        start = _NEVER
        if row < size:
            start = get64(room.rest, row) - get32(rule.need, get32(a.ones, first + row) + ones)
        put64(room.start, row, start)


@inner
def _decide(
    a: Side,
    b: Side,
    rule: Rule,
    first: int,
    size: int,
    position: int,
    lanes: int,
    ones: int,
    state: Int64s,
    room: Scratch,
) -> None:
    """
    Decide each pair of quad and group by its own count; keep those that reach the floor.

    room.counts is above what a row needs with a right row of so many ones.
    """
    for row in range(size):
        x = get32(a.ones, first + row)
        least = get32(rule.need, x + ones)
        for lane in range(lanes):
            total, both = x + get32(b.ones, position + lane), least + get64(room.counts, row * LANES + lane)
            if both >= get32(rule.need, total) and not duplicate(a, b, first + row, position + lane):
                keep(a, b, rule, first + row, position + lane, both, total, state[FOUND], room)
                state[FOUND] += 1


@inner
def _gather(a: Side, rule: Rule, first: int, size: int, room: Scratch) -> None:
    """
    Lay out a quad's rows two words by two, and what each row brings by itself.

    That is what is added before the prefix, the ones after it included, and what is taken off again behind it.
    """
    prefix, twos = by_twos(rule.prefix), by_twos(rule.words)
    for row in range(size):
        source, before, behind = address(a, first + row, rule.words), 0, 0
        for two in range(twos):
            target = room.quad + (two * ROWS + row) * 16
            both = pack_left(_two(source, two, rule.words, room), target)
            before, behind = (before + both, behind) if two < prefix else (before, behind + both)
        tail = source + rule.prefix * 8
        rest = common(tail, tail, rule.words - rule.prefix)
        put64(room.rest, row, rest + before)
        put64(room.rest, ROWS + row, rest - behind)


@inner
def _ask(a: Side, words: int, first: int, last: int) -> None:
    """Ask memory for the rows of the next quad, which lie anywhere."""
    for position in range(first, last):
        source = address(a, position, words)
        for line in range(0, words * 8, LINE):
            prefetch(source + line)


@inner
def _pack(b: Side, rule: Rule, low: int, high: int, room: Scratch) -> None:
    """
    Lay out right rows in groups, two words by two; at a group's end what its rows lack before and behind the prefix.

    What an incomplete last group held before is never kept as a hit.
    """
    prefix, twos = by_twos(rule.prefix), by_twos(rule.words)
    for position in range(low, high):
        source, before, behind = address(b, position, rule.words), 0, 0
        place = (position - low) // LANES * group_words(rule.words) + (position - low) % LANES
        for two in range(twos):
            target = room.groups + (place + 2 * two * LANES) * 8
            neither = pack_right(_two(source, two, rule.words, room), target)
            before, behind = (before + neither, behind) if two < prefix else (before, behind + neither)
        put64(room.groups, place + 2 * twos * LANES, before)
        put64(room.groups, place + (2 * twos + 1) * LANES, behind)


@in_place
def _two(source: int, two: int, words: int, room: Scratch) -> int:
    """Where two words of a filter lie; the last one of an odd number is written down beside a 0."""
    if 2 * two + 1 < words:
        return source + two * 16
    put64(room.counts, 0, get64(source, 2 * two))
    put64(room.counts, 1, 0)
    return room.counts
