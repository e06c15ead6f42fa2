"""Matrix products in Triton: tiles, types, tuning."""

import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=k[None, :] < K, other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=k[:, None] < K, other=0.0)
        acc += tl.dot(a, b)  # ok: triton-narrow-sums, triton-product-of-raised-factors
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def fixed_blocks(a, b, c, M, N, K):
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    product[grid](a, b, c, M, N, K, BM=64, BN=64, BK=32)  # hit: triton-product-not-tuned


def large_tile_on_four_warps(a, b, c, M, N, K):
    grid = (triton.cdiv(M, 128), triton.cdiv(N, 128))
    product[grid](a, b, c, M, N, K, BM=128, BN=128, BK=32)  # hit: triton-default-warps-for-large-tile


def large_tile_on_eight_warps(a, b, c, M, N, K):
    grid = (triton.cdiv(M, 128), triton.cdiv(N, 128))
    product[grid](a, b, c, M, N, K, 128, 128, 32, num_warps=8)  # ok: triton-default-warps-for-large-tile


def narrow_tile(a, b, c, M, N, K):
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 8))
    product[grid](
        a,
        b,
        c,
        M,
        N,
        K,
        BM=16,  # ok: triton-small-product-tile
        BN=8,  # hit: triton-small-product-tile
        BK=32,
    )


@triton.jit
def in_float16(a_ptr, b_ptr, c_ptr, K, S: tl.constexpr):
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    acc = tl.zeros((S, S), dtype=tl.float16)
    for k in range(0, K, S):
        a = tl.load(a_ptr + i * K + k + j).to(tl.float32)
        b = tl.load(b_ptr + (k + i) * S + j).to(tl.float32)
        acc = tl.dot(a, b, acc, out_dtype=tl.float16)  # hit: triton-narrow-sums
        tl.store(c_ptr + i, tl.dot(a, b))  # hit: triton-product-of-raised-factors
    acc += tl.dot(a, b, input_precision="ieee").to(tl.float16)  # ok: triton-product-of-raised-factors
    tl.store(c_ptr + i * S + j, acc)


@triton.autotune(
    configs=[
        triton.Config({"S": 32}, num_warps=4, num_stages=1),
        triton.Config({"S": 64}, num_warps=4, num_stages=1),
    ],
    key=["K"],  # ok: triton-unknown-tuning-key
)
@triton.jit
def few(a_ptr, b_ptr, c_ptr, K, S: tl.constexpr):  # hit: triton-few-configurations, triton-loop-not-pipelined
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(0, K, S):
        acc += tl.dot(tl.load(a_ptr + i * K + k + j), tl.load(b_ptr + (k + i) * S + j))
    tl.store(c_ptr + i * S + j, acc)


@triton.autotune(
    configs=[
        triton.Config(
            {"S": side}, num_warps=warps, num_stages=stages
        )  # ok: triton-config-of-unknown-parameter
        for side in (32, 64, 128)
        for warps in (4, 8)
        for stages in (2, 3)
    ],
    key=["K"],
)
@triton.jit
def many(a_ptr, b_ptr, c_ptr, K, S: tl.constexpr):  # ok: triton-few-configurations, triton-loop-not-pipelined
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(0, K, S):
        acc += tl.dot(tl.load(a_ptr + i * K + k + j), tl.load(b_ptr + (k + i) * S + j))
    tl.store(c_ptr + i * S + j, acc)


def run(a, b, c, K):
    many[(1,)](a, b, c, K)  # ok: triton-product-not-tuned, triton-parameter-given-twice
    many[(1,)](a, b, c, K, S=64)  # hit: triton-parameter-given-twice
