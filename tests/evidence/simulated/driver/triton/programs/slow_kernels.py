"""Kernels of Triton as they are first written, each with something that slows it."""

import triton
import triton.language as tl


@triton.jit
def wide_softmax(x, o, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + r * n + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def layer_norm(x, w, b, o, n, eps, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    m = i < n
    v = tl.load(x + r * n + i, mask=m, other=0.0)
    mean = tl.sum(v, 0) / n
    d = tl.where(m, v - mean, 0.0)
    y = d * tl.rsqrt(tl.sum(d * d, 0) / n + eps)
    tl.store(o + r * n + i, y * tl.load(w + i, mask=m) + tl.load(b + i, mask=m), mask=m)


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * N + rn[None, :])
        acc += tl.dot(x, y, input_precision=PRECISION)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def attention(q, k, v, o, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * N * D
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    Q = tl.load(q + head + rm[:, None] * D + rd[None, :])
    m = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for s in range(0, N, BN):
        rn = s + tl.arange(0, BN)
        S = tl.dot(Q, tl.load(k + head + rn[None, :] * D + rd[:, None])) * scale
        mn = tl.maximum(m, tl.max(S, 1))
        p = tl.exp(S - mn[:, None])
        al = tl.exp(m - mn)
        total = total * al + tl.sum(p, 1)
        acc = acc * al[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(v + head + rn[:, None] * D + rd[None, :]), acc)
        m = mn
    tl.store(o + head + rm[:, None] * D + rd[None, :], acc / total[:, None])
