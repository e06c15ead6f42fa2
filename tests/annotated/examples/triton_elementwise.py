"""Elementwise kernels in Triton: masks, grids, blocks, launches one after the other."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask)  # ok: triton-unmasked-access, triton-masked-load-in-sum
    tl.store(y_ptr + at, x * factor, mask=mask)  # ok: triton-unmasked-access, triton-strided-lanes


@triton.jit
def shift(x_ptr, y_ptr, n, by, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x + by)  # hit: triton-unmasked-access


@triton.jit
def whole_blocks(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at) * 2)  # ok: triton-unmasked-access


@triton.jit
def row_by_row(x_ptr, y_ptr, n):  # hit: triton-program-of-single-elements
    row = tl.program_id(0)
    for i in range(n):
        tl.store(y_ptr + row * n + i, tl.load(x_ptr + row * n + i) * 2)


@triton.jit
def one_of_each(x_ptr, y_ptr):  # ok: triton-program-of-single-elements
    row = tl.program_id(0)
    tl.store(y_ptr + row, tl.load(x_ptr + row) * 2)


@triton.jit
def blocks_in_turn(x_ptr, y_ptr, n, BLOCK: tl.constexpr):  # ok: triton-program-of-single-elements
    for i in range(0, n, BLOCK):
        at = i + tl.arange(0, BLOCK)
        tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


def one_after_the_other(x, n):
    y = torch.empty_like(x)
    z = torch.empty_like(x)
    grid = (triton.cdiv(n, 1024),)
    scale[grid](x, y, n, 2.0, BLOCK=1024)  # ok: triton-fusable-launches, triton-little-work-per-program
    shift[grid](y, z, n, 1.0, BLOCK=1024)  # hit: triton-fusable-launches
    return z


def of_different_data(x, w, n):
    y = torch.empty_like(x)
    z = torch.empty_like(x)
    grid = (triton.cdiv(n, 1024),)
    scale[grid](x, y, n, 2.0, BLOCK=1024)
    scale[grid](w, z, n, 1.0, BLOCK=1024)  # ok: triton-fusable-launches
    return y, z


def small_programs(x, y, n):
    scale[(triton.cdiv(n, 128),)](x, y, n, 2.0, BLOCK=128)  # hit: triton-little-work-per-program


def fewer_elements_than_threads(x, y, n):
    grid = (triton.cdiv(n, 512),)
    scale[grid](x, y, n, 2.0, BLOCK=512, num_warps=32)  # hit: triton-more-threads-than-elements


def as_many_as_threads(x, y, n):
    grid = (triton.cdiv(n, 512),)
    scale[grid](x, y, n, 2.0, BLOCK=512, num_warps=16)  # ok: triton-more-threads-than-elements


def blocks_beyond_the_registers(x, y, n):
    scale[(triton.cdiv(n, 65536),)](x, y, n, 2.0, BLOCK=65536)  # hit: triton-much-work-per-thread


def large_blocks_on_many_warps(x, y, n):
    scale[(triton.cdiv(n, 16384),)](x, y, n, 2.0, BLOCK=16384, num_warps=8)  # ok: triton-much-work-per-thread


def an_impossible_block(x, y, n):
    scale[(triton.cdiv(n, 1000),)](x, y, n, 2.0, BLOCK=1000)  # hit: triton-extent-not-power-of-two


def a_possible_block(x, y, n):
    scale[(triton.cdiv(n, 1024),)](x, y, n, 2.0, BLOCK=1024)  # ok: triton-extent-not-power-of-two


def without_the_remainder(x, y, n):
    scale[(n // 1024,)](x, y, n, 2.0, BLOCK=1024)  # hit: triton-grid-rounded-down


def divisible_for_certain(x, y, n):
    assert n % 1024 == 0
    scale[(n // 1024,)](x, y, n, 2.0, BLOCK=1024)  # ok: triton-grid-rounded-down


def rounded_up_without_a_mask(x, y, n):
    whole_blocks[(triton.cdiv(n, 1024),)](x, y, BLOCK=1024)  # hit: triton-grid-rounded-up-without-mask


def rounded_up_with_a_last_block_in_part(x, y):
    whole_blocks[(triton.cdiv(1000, 64),)](x, y, BLOCK=64)  # hit: triton-grid-rounded-up-without-mask


def rounded_up_to_what_it_is():
    x = torch.zeros((16 * 1024,))
    size = x.numel()
    # ok: triton-grid-rounded-up-without-mask
    whole_blocks[lambda meta: (triton.cdiv(size, meta["BLOCK"]),)](x, x, BLOCK=1024)


def checked_by_its_caller(x, y, n, block):
    scale[(n // block,)](x, y, n, 2.0, BLOCK=block)  # ok: triton-grid-rounded-down


def refuses_remainders(x, y, n, block):
    if n % block != 0:
        raise ValueError("whole blocks only")
    checked_by_its_caller(x, y, n, block)


def whole_blocks_only(x, y, n):
    if n % 1024:
        raise ValueError("whole blocks only")
    whole_blocks[(triton.cdiv(n, 1024),)](x, y, BLOCK=1024)  # ok: triton-grid-rounded-up-without-mask


@triton.jit
def as_long_as_the_data(x_ptr, y_ptr, n):
    at = tl.arange(0, n)  # hit: triton-extent-known-at-run-time
    again = tl.arange(0, n)  # ok: triton-extent-known-at-run-time
    tl.store(y_ptr + at, tl.load(x_ptr + again))


@triton.jit
def for_other_files(x_ptr, n):
    return tl.load(x_ptr + tl.arange(0, n))  # ok: triton-extent-known-at-run-time


@triton.jit
def as_long_as_a_constant(x_ptr, y_ptr, n: tl.constexpr):
    at = tl.arange(0, n)  # ok: triton-extent-known-at-run-time
    tl.store(y_ptr + at, tl.load(x_ptr + at))


@triton.jit
def first_of(x_ptr, count):
    return tl.load(x_ptr + tl.arange(0, count))  # ok: triton-extent-known-at-run-time


@triton.jit
def doubled(x_ptr, y_ptr, BLOCK: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BLOCK), first_of(x_ptr, BLOCK) * 2)


def launch_all(x, y):
    as_long_as_the_data[(1,)](x, y, 64)
    as_long_as_a_constant[(1,)](x, y, 128)
    doubled[(1,)](x, y, BLOCK=128)


@triton.jit
def real_parts(z_ptr, re_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    re = tl.load(z_ptr + 2 * at, mask=at < n)  # hit: triton-strided-lanes
    tl.store(re_ptr + at, re, mask=at < n)  # ok: triton-strided-lanes, triton-walk-down-a-column


@triton.jit
def column(x_ptr, y_ptr, n_rows, n_cols, BLOCK: tl.constexpr):
    col = tl.program_id(0)
    rows = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + rows * n_cols + col, mask=rows < n_rows)  # hit: triton-walk-down-a-column
    tl.store(y_ptr + col * n_rows + rows, x, mask=rows < n_rows)  # ok: triton-walk-down-a-column


@triton.jit
def by_strides(x_ptr, y_ptr, stride_row, stride_col, n_rows, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    mask = rows < n_rows
    x = tl.load(x_ptr + rows * stride_row, mask=mask)  # ok: triton-walk-down-a-column, triton-strided-lanes
    tl.store(y_ptr + rows * stride_col, x, mask=rows < n_rows)


@triton.jit
def choices(x_ptr, y_ptr, n, limit, squared, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=(at < n) & (at > 0))  # ok: triton-logical-operator-on-block
    if x > limit:  # hit: triton-branch-on-block
        x = x * 2
    y = tl.where(x > limit, tl.exp(x), x)  # ok: triton-branch-on-block, triton-where-of-costly-sides
    if squared > 0:  # ok: triton-branch-on-block
        y = y * y
    y = tl.where(squared > 1, tl.log(y), y)  # hit: triton-where-of-costly-sides
    tl.store(y_ptr + at, y, mask=at < n and x > 0)  # hit: triton-logical-operator-on-block
    tl.device_print("y", y)  # hit: triton-print-in-kernel
    tl.static_print("block", BLOCK)  # ok: triton-print-in-kernel


def choose(x, y, n):
    choices[(triton.cdiv(n, 1024),)](x, y, n, 0.5, 1, BLOCK=1024)


def on_purpose(x, y, n):
    # advisor: ignore[triton-extent-not-power-of-two] the comment is what this shows
    scale[(triton.cdiv(n, 1000),)](x, y, n, 2.0, BLOCK=1000)  # ok: triton-extent-not-power-of-two
