"""A product of tiles that the tensor cores have no use for: 8 wide, and sums of float16."""

import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float16)
    for k in range(0, K, BLOCK_K):
        inner = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :])
        b = tl.load(b_ptr + inner[:, None] * 1024 + columns[None, :])
        accumulator = tl.dot(a, b, accumulator)  # hit: triton-narrow-sums
    tl.store(c_ptr + rows[:, None] * 1024 + columns[None, :], accumulator)


def run(a, b, c):
    product[(128, 128)](  # hit: triton-product-not-tuned
        a,
        b,
        c,
        1024,
        BLOCK_M=8,  # hit: triton-small-product-tile
        BLOCK_N=8,  # hit: triton-small-product-tile
        BLOCK_K=8,  # hit: triton-small-product-tile
    )


def run_in_large_blocks(a, b, c):
    product[(8, 8)](  # hit: triton-default-warps-for-large-tile, triton-product-not-tuned
        a, b, c, 1024, BLOCK_M=128, BLOCK_N=128, BLOCK_K=32
    )


def run_in_odd_blocks(a, b, c):
    product[(11, 11)](  # hit: triton-product-not-tuned
        a,
        b,
        c,
        1024,
        96,  # hit: triton-extent-not-power-of-two
        96,  # hit: triton-extent-not-power-of-two
        32,
    )
