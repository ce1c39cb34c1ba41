"""
Reading and writing arrays by address, inside kernels.

Numba counts the users of every array that it hands on, in memory that all threads share; for a block of two by two
records this counting took longer than the comparison. Addresses are plain numbers. Whoever makes them keeps the arrays
alive, and no access is checked, so positions come from the layout alone and never from a caller.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]  # it ships no type information
from numba import types

from unveil.engines.cpu.compile import instruction

_I64 = ir.IntType(64)


def _place(builder: Any, base: Any, index: Any, size: int) -> Any:
    offset = builder.mul(index, ir.Constant(_I64, size))
    return builder.inttoptr(builder.add(base, offset), ir.PointerType())


@instruction
def get32(_typing: Any, _base: Any, _index: Any) -> Any:
    """The 32-bit integer at that index, as a 64-bit one."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        value = builder.load(_place(builder, args[0], args[1], 4), typ=ir.IntType(32), align=4)
        return builder.sext(value, _I64)

    return types.int64(types.intp, types.intp), code


@instruction
def put32(_typing: Any, _base: Any, _index: Any, _value: Any) -> Any:
    """Write the value as a 32-bit integer."""

    def code(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        value = builder.trunc(args[2], ir.IntType(32))
        builder.store(value, _place(builder, args[0], args[1], 4), align=4)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.int64), code


@instruction
def get64(_typing: Any, _base: Any, _index: Any) -> Any:
    """The 64-bit integer at that index."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load(_place(builder, args[0], args[1], 8), typ=_I64, align=8)

    return types.int64(types.intp, types.intp), code


@instruction
def put64(_typing: Any, _base: Any, _index: Any, _value: Any) -> Any:
    """Write a 64-bit integer."""

    def code(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        builder.store(args[2], _place(builder, args[0], args[1], 8), align=8)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.int64), code


@instruction
def put_float(_typing: Any, _base: Any, _index: Any, _value: Any) -> Any:
    """Write a float64."""

    def code(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        builder.store(args[2], _place(builder, args[0], args[1], 8), align=8)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.float64), code
