"""Kernels for lists of pairs: their similarities, and where along the words a sample of them fails."""

from __future__ import annotations

from typing import Final

from unveil.engines.cpu.compile import kernel
from unveil.engines.cpu.memory import get32, put_float
from unveil.engines.cpu.tiles import address, ratio
from unveil.engines.cpu.vectors import LINE, common, prefetch
from unveil.engines.cpu.work import Int64s, Plain, Rule, Side

_AHEAD: Final = 4  # pairs between asking memory for their rows and comparing them


@kernel
def list_similarities(left: Plain, right: Plain, by: Plain, start: int, stop: int, out: int) -> None:
    """Write the similarity of the pairs at positions start:stop of both sides; ones are by row, not by position."""
    a, b, rule = Side(*left), Side(*right), Rule(*by)
    size = rule.words * 8
    for pair in range(start, stop):
        if pair + _AHEAD < stop:
            x, y = address(a, pair + _AHEAD, rule.words), address(b, pair + _AHEAD, rule.words)
            for line in range(0, size, LINE):
                prefetch(x + line)
                prefetch(y + line)
        both = common(address(a, pair, rule.words), address(b, pair, rule.words), rule.words)
        total = get32(a.ones, get32(a.rows, pair)) + get32(b.ones, get32(b.rows, pair))
        put_float(out, pair, ratio(rule.measure, both, total, rule.m))


@kernel
def survivors(left: Plain, right: Plain, by: Plain, pairs: Int64s, alive: Int64s) -> int:
    """For each number of words the pairs of positions that could still reach the floor after them; pairs counted."""
    a, b, rule = Side(*left), Side(*right), Rule(*by)
    counted = 0
    for pair in range(len(pairs)):
        i, j = pairs[pair, 0], pairs[pair, 1]
        rest, both = get32(a.ones, i), 0
        need = get32(rule.need, rest + get32(b.ones, j))
        if need > min(rest, get32(b.ones, j)):
            continue
        counted += 1
        x, y = address(a, i, rule.words), address(b, j, rule.words)
        for word in range(rule.words):
            both += common(x + 8 * word, y + 8 * word, 1)
            rest -= common(x + 8 * word, x + 8 * word, 1)
            alive[word] += both + rest >= need
    return counted
