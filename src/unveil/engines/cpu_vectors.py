"""
The innermost loops, written as vector code for LLVM: AND, count ones, add.

Filters of the right side are packed in groups of LANES rows, word by word: word w of a group is one vector that holds
word w of each of its rows. Filters of the left side come in quads of ROWS rows, word by word likewise. A word of a left
row is broadcast and meets LANES right rows at once, so their counts grow side by side and are never added across a
vector. LLVM turns the vectors into what the processor has (VPOPCNTQ on AVX-512, byte shuffles on AVX2, CNT on ARM).

The loop over the words is not unrolled for each length: with ROWS independent sums in flight its own counter is hidden
behind the vector units, so one kernel serves every length.

All take addresses instead of arrays, so a filter column that may not be written to needs no second compilation.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES: Final = 8
ROWS: Final = 4
LINE: Final = 64  # bytes that memory delivers at a time

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_VECTOR = ir.VectorType(_I64, LANES)
_ZEROS = ir.Constant(_VECTOR, [0] * LANES)
_POINTER = ir.PointerType()


@intrinsic
def reaches(_typing: Any, _quad: Any, _group: Any, _words: Any, _start: Any) -> Any:  # noqa: ANN401 - Numba's own types
    """
    reaches(quad, group, words, start): whether any pair, counted from start[row] over so many words, ends at zero or above.

    With start[row] = -(common ones needed), one look at the signs decides on ROWS × LANES pairs.
    """

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:  # noqa: ANN401 - same
        quad, group, words, start = args
        first = [_broadcast(builder, _load(builder, start, _at(row), _I64)) for row in range(ROWS)]
        sums = _count(builder, quad, group, words, first)
        signs = sums[0]
        for total in sums[1:]:
            signs = builder.and_(signs, total)
        below = builder.bitcast(builder.icmp_signed("<", signs, _ZEROS), ir.IntType(LANES))
        return builder.icmp_unsigned("!=", below, ir.Constant(ir.IntType(LANES), (1 << LANES) - 1))

    return types.boolean(types.intp, types.intp, types.intp, types.intp), code


@intrinsic
def counts(_typing: Any, _quad: Any, _group: Any, _words: Any, _out: Any) -> Any:  # noqa: ANN401 - Numba's own types
    """counts(quad, group, words, out): write the common ones of all pairs of quad and group to out, row after row."""

    def code(context: Any, builder: Any, _signature: Any, args: Any) -> Any:  # noqa: ANN401 - same
        quad, group, words, out = args
        for row, total in enumerate(_count(builder, quad, group, words, [_ZEROS] * ROWS)):
            target = builder.inttoptr(builder.add(out, _at(row * LANES)), _POINTER)
            builder.store(total, target, align=8)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.intp, types.intp), code


@intrinsic
def common(_typing: Any, _left: Any, _right: Any, _words: Any) -> Any:  # noqa: ANN401 - Numba's own types
    """common(left, right, words): common ones of two filters that lie anywhere, LANES words at a time."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:  # noqa: ANN401 - same
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
        across = _function(builder, "llvm.vector.reduce.add.v8i64", _I64, [_VECTOR])
        return builder.add(builder.call(across, [builder.load(wide, typ=_VECTOR)]), builder.load(narrow, typ=_I64))

    return types.int64(types.intp, types.intp, types.intp), code


@intrinsic
def word(_typing: Any, _address: Any) -> Any:  # noqa: ANN401 - Numba's own types
    """word(address): the word there."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:  # noqa: ANN401 - same
        return _load(builder, args[0], _at(0), _I64)

    return types.uint64(types.intp), code


@intrinsic
def prefetch(_typing: Any, _address: Any) -> Any:  # noqa: ANN401 - Numba's own types
    """prefetch(address): ask memory for the line there, without waiting for it."""

    def code(context: Any, builder: Any, _signature: Any, args: Any) -> Any:  # noqa: ANN401 - same
        ask = _function(builder, "llvm.prefetch.p0", ir.VoidType(), [_POINTER, _I32, _I32, _I32])
        to_read, keep, data = (ir.Constant(_I32, value) for value in (0, 3, 1))
        builder.call(ask, [builder.inttoptr(args[0], _POINTER), to_read, keep, data])
        return context.get_dummy_value()

    return types.void(types.intp), code


def _count(builder: Any, quad: Any, group: Any, words: Any, first: list[Any]) -> list[Any]:  # noqa: ANN401 - LLVM values
    """The sums, starting at `first`, of the common ones of each row of the quad with the group's rows."""
    sums = [cgutils.alloca_once(builder, _VECTOR) for _ in range(ROWS)]
    for value, total in zip(first, sums, strict=True):
        builder.store(value, total)
    with cgutils.for_range(builder, words, intp=_I64) as loop:
        right = _load(builder, group, builder.mul(loop.index, _at(LANES)), _VECTOR)
        for row, total in enumerate(sums):
            place = builder.add(builder.mul(loop.index, _at(ROWS)), _at(row))
            left = _broadcast(builder, _load(builder, quad, place, _I64))
            found = _ones(builder, builder.and_(left, right))
            builder.store(builder.add(builder.load(total, typ=_VECTOR), found), total)
    return [builder.load(total, typ=_VECTOR) for total in sums]


def _at(word: int) -> Any:  # noqa: ANN401 - LLVM value
    """The offset in bytes of a word."""
    return ir.Constant(_I64, 8 * word)


def _load(builder: Any, base: Any, offset: Any, kind: Any) -> Any:  # noqa: ANN401 - LLVM values
    """A word or a vector of words at base + offset."""
    return builder.load(builder.inttoptr(builder.add(base, offset), _POINTER), typ=kind, align=8)


def _broadcast(builder: Any, word: Any) -> Any:  # noqa: ANN401 - LLVM values
    """The word in every lane."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    single = builder.insert_element(undefined, word, ir.Constant(_I32, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _ones(builder: Any, value: Any) -> Any:  # noqa: ANN401 - LLVM values
    """The number of ones in the word, or in each lane of the vector."""
    kind = value.type
    name = "llvm.ctpop.i64" if kind == _I64 else f"llvm.ctpop.v{LANES}i64"
    return builder.call(_function(builder, name, kind, [kind]), [value])


def _function(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:  # noqa: ANN401 - LLVM values
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)
