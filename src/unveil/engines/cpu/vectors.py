"""
The innermost loops, written as vector code for LLVM: combine, count ones, add.

Words are taken two at a time. Two words of a left row, a1 and a2, and two of a right row, b1 and b2, have in common

    ones(a1 ^ b2 ? a1 ^ a2 : ~(b1 ^ b2)) + ones(a1 & a2) - ones(~b1 & ~b2)

ones, where the choice is made bit by bit. The last two terms are each of one row alone and are counted once for each
row, not for each pair; so are a1 ^ a2 and ~(b1 ^ b2), which stand beside a1 and b2 in what is packed. Two words of a
pair thus cost an exclusive or, a choice (one instruction of AVX-512 and of ARM), a count and an addition: four, where
counting a1 & b1 and a2 & b2 takes six.

Filters of the right side are packed in groups of LANES rows: two words of each of its rows are two vectors. Filters of
the left side come in quads of ROWS rows, two words by two words likewise. A word of a left row is broadcast and meets
LANES right rows at once, so their counts grow side by side and are never added across a vector. LLVM turns the vectors
into what the processor has (VPOPCNTQ on AVX-512, byte shuffles on AVX2, CNT on ARM).

The loop over the words is not unrolled for each length: with ROWS independent sums in flight its own counter is hidden
behind the vector units, so one kernel serves every length.

All take addresses instead of arrays, so a filter column that may not be written to needs no second compilation.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]  # it ships no type information
from numba import types
from numba.core import cgutils as untyped

from unveil.engines.cpu.compile import instruction

cgutils: Any = untyped

LANES: Final = 8
ROWS: Final = 4
LINE: Final = 64  # bytes that memory delivers at a time

_BIT, _I32, _I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
_VECTOR = ir.VectorType(_I64, LANES)
_ZEROS = ir.Constant(_VECTOR, [0] * LANES)
_POINTER = ir.PointerType()


@instruction
def reaches(_typing: Any, _quad: Any, _group: Any, _prefix: Any, _twos: Any, _start: Any, _rest: Any, _out: Any) -> Any:
    """
    Whether any pair of quad and group could be a hit; then out gets how far each is above what its row needs.

    prefix and twos count words by twos. Sums start at start[row] less what each right row lacks in the prefix, and grow
    to common + remaining - needed ones. If all are below zero after the prefix, no pair can be a hit whatever the
    remaining ones of the left row do; otherwise rest[row] takes those off again and the remaining words decide. One
    look at the signs thus decides on ROWS × LANES pairs.
    """

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        quad, group, prefix, twos, start, rest, out = args
        lacking = builder.add(group, builder.mul(twos, _at(2 * LANES)))
        sums = _sums(builder, start, _load(builder, lacking, _at(0), _VECTOR))
        _count(builder, quad, group, _at(0), prefix, sums)
        result = cgutils.alloca_once_value(builder, _any_above(builder, sums))
        with builder.if_then(builder.load(result, typ=_BIT), likely=False):
            later = _load(builder, lacking, _at(LANES), _VECTOR)
            for row, total in enumerate(sums):
                taken = builder.add(_broadcast(builder, _load(builder, rest, _at(row), _I64)), later)
                builder.store(builder.sub(builder.load(total, typ=_VECTOR), taken), total)
            _count(builder, quad, group, prefix, twos, sums)
            builder.store(_any_above(builder, sums), result)
            for row, total in enumerate(sums):
                _store(builder, builder.load(total, typ=_VECTOR), out, _at(row * LANES))
        return builder.load(result, typ=_BIT)

    return types.boolean(*[types.intp] * 7), code


@instruction
def common(_typing: Any, _left: Any, _right: Any, _words: Any) -> Any:
    """Common ones of two filters that lie anywhere, LANES words at a time."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        left, right, words = args
        whole = builder.lshr(words, ir.Constant(_I64, LANES.bit_length() - 1))
        wide, narrow = cgutils.alloca_once_value(builder, _ZEROS), cgutils.alloca_once_value(builder, _at(0))
        for total, kind, start, stop in (
            (wide, _VECTOR, _at(0), whole),
            (narrow, _I64, builder.mul(whole, ir.Constant(_I64, LANES)), words),
        ):
            with cgutils.for_range_slice(builder, start, stop, ir.Constant(_I64, 1), intp=_I64) as (index, _):
                step = 8 * LANES if kind is _VECTOR else 8
                offset = builder.mul(index, ir.Constant(_I64, step))
                both = builder.and_(_load(builder, left, offset, kind), _load(builder, right, offset, kind))
                builder.store(builder.add(builder.load(total, typ=kind), _ones(builder, both)), total)
        return builder.add(_across(builder, builder.load(wide, typ=_VECTOR)), builder.load(narrow, typ=_I64))

    return types.int64(types.intp, types.intp, types.intp), code


@instruction
def common_line(_typing: Any, _left: Any, _right: Any) -> Any:
    """Common ones of LANES words of two filters."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        left, right = (_load(builder, place, _at(0), _VECTOR) for place in args)
        return _across(builder, _ones(builder, builder.and_(left, right)))

    return types.int64(types.intp, types.intp), code


@instruction
def pack_left(_typing: Any, _source: Any, _target: Any) -> Any:
    """Write a1 and a1 ^ a2 of two words; the ones that they have in common."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        one, other = _two_words(builder, args[0])
        for place, word in enumerate((one, builder.xor(one, other))):
            _store(builder, word, args[1], _at(place))
        return _ones(builder, builder.and_(one, other))

    return types.int64(types.intp, types.intp), code


@instruction
def pack_right(_typing: Any, _source: Any, _target: Any) -> Any:
    """Write b2 and ~(b1 ^ b2) of two words, LANES words apart; how many bits neither has."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        one, other = _two_words(builder, args[0])
        for place, word in enumerate((other, builder.not_(builder.xor(one, other)))):
            _store(builder, word, args[1], _at(place * LANES))
        return _ones(builder, builder.not_(builder.or_(one, other)))

    return types.int64(types.intp, types.intp), code


@instruction
def prefetch(_typing: Any, _address: Any) -> Any:
    """Ask memory for the line there, without waiting for it."""

    def code(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        ask = _function(builder, "llvm.prefetch.p0", ir.VoidType(), [_POINTER, _I32, _I32, _I32])
        to_read, keep, data = (ir.Constant(_I32, value) for value in (0, 3, 1))
        builder.call(ask, [builder.inttoptr(args[0], _POINTER), to_read, keep, data])
        return context.get_dummy_value()

    return types.void(types.intp), code


def _sums(builder: Any, start: Any, lacking: Any) -> list[Any]:
    """One sum for each row of a quad: where that row starts, less what each right row lacks."""
    starts = (_broadcast(builder, _load(builder, start, _at(row), _I64)) for row in range(ROWS))
    return [cgutils.alloca_once_value(builder, builder.sub(first, lacking)) for first in starts]


def _count(builder: Any, quad: Any, group: Any, start: Any, stop: Any, sums: list[Any]) -> None:
    """Add what each row of the quad has with the group's rows, over the words start:stop, which are counted by twos."""
    with cgutils.for_range_slice(builder, start, stop, ir.Constant(_I64, 1), intp=_I64) as (index, _):
        place = builder.add(group, builder.mul(index, _at(2 * LANES)))
        second, alike = (_load(builder, place, _at(part * LANES), _VECTOR) for part in range(2))
        for row, total in enumerate(sums):
            place = builder.add(quad, builder.mul(builder.add(builder.mul(index, _word(ROWS)), _word(row)), _at(2)))
            first, unlike = (_broadcast(builder, _load(builder, place, _at(part), _I64)) for part in range(2))
            chosen = _choice(builder, builder.xor(first, second), unlike, alike)
            builder.store(builder.add(builder.load(total, typ=_VECTOR), _ones(builder, chosen)), total)


def _choice(builder: Any, which: Any, one: Any, other: Any) -> Any:
    """Bit by bit, that of the one where `which` is set, else that of the other."""
    return builder.or_(builder.and_(which, one), builder.and_(builder.not_(which), other))


def _any_above(builder: Any, sums: list[Any]) -> Any:
    """Whether any lane of any sum is zero or above."""
    signs = builder.load(sums[0], typ=_VECTOR)
    for total in sums[1:]:
        signs = builder.and_(signs, builder.load(total, typ=_VECTOR))
    below = builder.bitcast(builder.icmp_signed("<", signs, _ZEROS), ir.IntType(LANES))
    return builder.icmp_unsigned("!=", below, ir.Constant(ir.IntType(LANES), (1 << LANES) - 1))


def _word(number: int) -> Any:
    return ir.Constant(_I64, number)


def _at(word: int) -> Any:
    """The offset in bytes of a word."""
    return ir.Constant(_I64, 8 * word)


def _load(builder: Any, base: Any, offset: Any, kind: Any) -> Any:
    """A word or a vector of words at base + offset."""
    return builder.load(builder.inttoptr(builder.add(base, offset), _POINTER), typ=kind, align=8)


def _store(builder: Any, value: Any, base: Any, offset: Any) -> None:
    """Write a word or a vector of words to base + offset."""
    builder.store(value, builder.inttoptr(builder.add(base, offset), _POINTER), align=8)


def _two_words(builder: Any, base: Any) -> Any:
    """
    Two words that lie side by side, read at once.

    Read one by one LLVM would gather the first ones of many pairs, and the second ones, which takes longer.
    """
    both = _load(builder, base, _at(0), ir.VectorType(_I64, 2))
    return (builder.extract_element(both, ir.Constant(_I32, part)) for part in range(2))


def _broadcast(builder: Any, word: Any) -> Any:
    """The word in every lane."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    single = builder.insert_element(undefined, word, ir.Constant(_I32, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _ones(builder: Any, value: Any) -> Any:
    """The number of ones in the word, or in each lane of the vector."""
    kind = value.type
    name = "llvm.ctpop.i64" if kind == _I64 else f"llvm.ctpop.v{LANES}i64"
    return builder.call(_function(builder, name, kind, [kind]), [value])


def _across(builder: Any, vector: Any) -> Any:
    """The sum of all lanes."""
    return builder.call(_function(builder, f"llvm.vector.reduce.add.v{LANES}i64", _I64, [_VECTOR]), [vector])


def _function(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)
