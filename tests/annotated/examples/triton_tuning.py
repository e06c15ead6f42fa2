"""What `@triton.autotune` says, and what its trials do."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 512}, num_warps=4),
        triton.Config({"BLOCK": 1024}, num_warps=8),
        triton.Config({"BLOCK_SIZE": 2048}, num_warps=8),  # hit: triton-config-of-unknown-parameter
    ],
    key=["n", "batch"],  # hit: triton-unknown-tuning-key
)
@triton.jit
def misspelt(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 1.0, mask=at < n)


@triton.autotune(
    configs=[triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 1024}, num_warps=8)],
    key=[],
)
@triton.jit
def whatever_size(x_ptr, n, BLOCK: tl.constexpr):  # hit: triton-tuning-without-key
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 1.0, mask=at < n)


@triton.autotune(
    configs=[triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 1024}, num_warps=8)],
    key=["n"],
)
@triton.jit
def adds_up(x_ptr, out_ptr, n, BLOCK: tl.constexpr):  # hit: triton-tuning-repeats-update
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr + pid % 32, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0)))


@triton.autotune(
    configs=[triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 1024}, num_warps=8)],
    key=["n"],
    reset_to_zero=["out_ptr"],
)
@triton.jit
def adds_up_from_zero(x_ptr, out_ptr, n, BLOCK: tl.constexpr):  # ok: triton-tuning-repeats-update
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr + pid % 32, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0)))


@triton.autotune(configs=[triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 1024})], key=["n"])
@triton.jit
def doubles(x_ptr, n, BLOCK: tl.constexpr):  # hit: triton-tuning-repeats-update
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(x_ptr + at, x * 2, mask=at < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 1024})], key=["n"])
@triton.jit
def copies(
    x_ptr, y_ptr, n, BLOCK: tl.constexpr
):  # ok: triton-tuning-repeats-update, triton-tuning-without-key
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)
