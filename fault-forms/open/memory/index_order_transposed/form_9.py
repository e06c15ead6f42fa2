"""Outer sums of a transport cost matrix, as used in a Sinkhorn solver."""
import math

import cupy as cp
from numba import cuda

BLOCK_X, BLOCK_Y = 128, 2


@cuda.jit("void(float32[:, ::1], float32[::1], float32[::1], float32, float32[:, ::1])")
def gibbs(cost, f, g, inv_eps, plan):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    j = cuda.threadIdx.y + cuda.blockIdx.y * cuda.blockDim.y
    if i < plan.shape[0] and j < plan.shape[1]:
        plan[i, j] = math.exp((f[i] + g[j] - cost[i, j]) * inv_eps)


def transport_plan(cost, f, g, eps):
    n, m = cost.shape
    plan = cp.empty_like(cost)
    grid = ((n + BLOCK_X - 1) // BLOCK_X, (m + BLOCK_Y - 1) // BLOCK_Y)
    gibbs[grid, (BLOCK_X, BLOCK_Y)](cost, f, g, 1.0 / eps, plan)
    return plan


def sinkhorn(cost, eps=0.05, sweeps=5):
    n, m = cost.shape
    f = cp.zeros(n, dtype=cp.float32)
    g = cp.zeros(m, dtype=cp.float32)
    for _ in range(sweeps):
        p = transport_plan(cost, f, g, eps)
        f -= cp.float32(eps) * cp.log(p.sum(axis=1) * cp.float32(n))
        p = transport_plan(cost, f, g, eps)
        g -= cp.float32(eps) * cp.log(p.sum(axis=0) * cp.float32(m))
    return transport_plan(cost, f, g, eps)


if __name__ == "__main__":
    c = cp.random.random((12000, 9000), dtype=cp.float32)
    print(float(sinkhorn(c).sum()))
