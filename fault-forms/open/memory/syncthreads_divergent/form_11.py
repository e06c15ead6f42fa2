"""Kepler's equation by Newton's method, with the largest last step of each block."""
import math

import numpy as np
from numba import cuda, float32

TPB = 128
MAX_ITER = 50


@cuda.jit
def solve_kepler(mean_anomaly, ecc, tol, result, worst):
    shared_step = cuda.shared.array(TPB, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    inside = i < mean_anomaly.size
    m = mean_anomaly[i] if inside else float32(0.0)
    e = ecc[i] if inside else float32(0.0)
    big_e = m
    delta = float32(1.0)
    it = 0
    while abs(delta) > tol and it < MAX_ITER:
        delta = (big_e - e * math.sin(big_e) - m) / (float32(1.0) - e * math.cos(big_e))
        big_e -= delta
        shared_step[t] = abs(delta)
        cuda.syncthreads()
        it += 1
    if inside:
        result[i] = big_e
    cuda.syncthreads()
    if t == 0:
        biggest = float32(0.0)
        for k in range(TPB):
            biggest = max(biggest, shared_step[k])
        worst[cuda.blockIdx.x] = biggest


def eccentric_anomaly(mean_anomaly, ecc, tol=1e-6):
    n = mean_anomaly.size
    blocks = (n + TPB - 1) // TPB
    out = cuda.device_array(n, dtype=np.float32)
    worst = cuda.device_array(blocks, dtype=np.float32)
    solve_kepler[blocks, TPB](cuda.to_device(mean_anomaly), cuda.to_device(ecc), np.float32(tol), out, worst)
    return out.copy_to_host(), worst.copy_to_host().max()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    M = rng.uniform(0, 2 * np.pi, 10_000_000).astype(np.float32)
    print(eccentric_anomaly(M, rng.uniform(0, 0.7, M.size).astype(np.float32))[1])
