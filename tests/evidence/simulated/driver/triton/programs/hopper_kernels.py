"""Kernels that Triton compiles to what GPUs have since compute capability 9.0."""

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, KIND: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    total = tl.zeros((BM, BN), c.dtype.element_ty)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :]).to(KIND)
        y = tl.load(b + (k + rk)[:, None] * N + rn[None, :]).to(KIND)
        total = tl.dot(x, y, total, out_dtype=c.dtype.element_ty)
    tl.store(c + rm[:, None] * N + rn[None, :], total)


@triton.jit
def described(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = a.load([m, k])
        y = b.load([k, n])
        total = tl.dot(x, y, total)
    c.store([m, n], total)


@triton.jit
def describing(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(left.load([m, k]), right.load([k, n]), total)
    target.store([m, n], total)


@triton.jit
def add_up(source, target, B: tl.constexpr):
    target.atomic_add([0, 0], source.load([0, tl.program_id(0) * B]))


@triton.jit
def eight_bits(x, low, high, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(low + i, v.to(tl.float8e4nv).to(tl.float32))
    tl.store(high + i, v.to(tl.float8e5).to(tl.float32))


@triton.jit
def specialised(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        total = tl.dot(left.load([m, k]), right.load([k, n]), total)
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    target.store([m, n], total)
