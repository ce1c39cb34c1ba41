"""
The kernels of the GPU engine, in Triton.

Filters stand as bytes, 0 or 1, so that a product on the int8 matrix units counts common ones. A tile of such counts
never leaves the multiprocessor: what each pair needs is taken off, and only the largest entry is looked at. A tile
without a hit costs nothing more; a tile with hits says how many, and `write_hits` later computes it again and writes
them to places that were reserved for exactly that many. So nothing can overflow and no hit can be lost.

With COPIES, `a` and `b` are descriptors for the copy engine of recent GPUs; without, they are plain pointers.
"""

# ruff: noqa: ANN001, ANN201, ANN202 - Triton reads these functions as a language of its own

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _tile(
    a, b, need_a_ptr, need_b_ptr, row, column,
    K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, COPIES: tl.constexpr,
):  # fmt: skip
    """Common ones of a tile of pairs, less the ones that each pair needs: a hit is an entry of 0 or more."""
    rows = row * BM + tl.arange(0, BM)
    columns = column * BN + tl.arange(0, BN)
    found = tl.zeros([BM, BN], tl.int32)
    if COPIES:
        for k in range(0, K, BK):
            left, right = a.load([row * BM, k]), b.load([column * BN, k])
            found = tl.dot(left, right.T, found, out_dtype=tl.int32)
    else:
        depth = tl.arange(0, BK)
        a_at = a + rows.to(tl.int64)[:, None] * K + depth[None, :]
        b_at = b + columns.to(tl.int64)[None, :] * K + depth[:, None]
        for _ in range(0, K, BK):
            found = tl.dot(tl.load(a_at), tl.load(b_at), found, out_dtype=tl.int32)
            a_at += BK
            b_at += BK
    return found - (tl.load(need_a_ptr + rows)[:, None] + tl.load(need_b_ptr + columns)[None, :])


@triton.jit
def count_hits(
    a, b, need_a_ptr, need_b_ptr, count_ptr, tile_rows, tile_columns,
    K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, COPIES: tl.constexpr,
    GROUP: tl.constexpr,
):  # fmt: skip
    """Write the number of hits of every tile."""
    # Programs that run together share rows and columns, so that most loads are answered by the cache.
    program = tl.program_id(0)
    per_group = GROUP * tile_columns
    first = (program // per_group) * GROUP
    height = min(tile_rows - first, GROUP)
    row = first + (program % per_group) % height
    column = (program % per_group) // height
    found = _tile(a, b, need_a_ptr, need_b_ptr, row, column, K, BM, BN, BK, COPIES)
    hits = 0
    if tl.max(tl.max(found, 1), 0) >= 0:
        hits = tl.sum(tl.sum((found >= 0).to(tl.int32), 1), 0)
    tl.store(count_ptr + row.to(tl.int64) * tile_columns + column, hits)


@triton.jit
def write_hits(
    a, b, need_a_ptr, need_b_ptr, tiles_ptr, next_ptr, left_ptr, right_ptr, common_ptr, tile_columns,
    K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, COPIES: tl.constexpr,
):  # fmt: skip
    """Write the hits of the listed tiles, each from its own place on."""
    program = tl.program_id(0)
    tile = tl.load(tiles_ptr + program)
    row = (tile // tile_columns).to(tl.int32)
    column = (tile % tile_columns).to(tl.int32)
    found = _tile(a, b, need_a_ptr, need_b_ptr, row, column, K, BM, BN, BK, COPIES)
    hit = found >= 0
    rows = row * BM + tl.arange(0, BM)
    columns = column * BN + tl.arange(0, BN)
    need = tl.load(need_a_ptr + rows)[:, None] + tl.load(need_b_ptr + columns)[None, :]
    counter = next_ptr + program + tl.zeros([BM, BN], tl.int32)
    place = tl.atomic_add(counter, tl.full([BM, BN], 1, tl.int64), mask=hit)
    tl.store(left_ptr + place, rows[:, None] + tl.zeros([BM, BN], tl.int32), mask=hit)
    tl.store(right_ptr + place, columns[None, :] + tl.zeros([BM, BN], tl.int32), mask=hit)
    tl.store(common_ptr + place, found + need, mask=hit)
