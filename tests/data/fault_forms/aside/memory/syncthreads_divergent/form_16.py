"""Longest common subsequence of many pairs, one block per pair, by anti-diagonals."""
import numpy as np
from numba import cuda, int32

L = 256


@cuda.jit
def lcs_lengths(first, second, length):
    diag0 = cuda.shared.array(L + 1, int32)
    diag1 = cuda.shared.array(L + 1, int32)
    diag2 = cuda.shared.array(L + 1, int32)
    p = cuda.blockIdx.x
    t = cuda.threadIdx.x
    diag0[t + 1] = 0
    diag1[t + 1] = 0
    diag2[t + 1] = 0
    if t == 0:
        diag0[0] = 0
        diag1[0] = 0
        diag2[0] = 0
    cuda.syncthreads()
    mine = first[p, t]
    for d in range(2 * L - 1):
        j = d - t
        if 0 <= j < L:
            if mine == second[p, j]:
                diag2[t + 1] = diag0[t] + 1
            else:
                diag2[t + 1] = max(diag1[t + 1], diag1[t])
            cuda.syncthreads()  # fault: syncthreads_divergent
            diag0[t + 1] = diag1[t + 1]
            diag1[t + 1] = diag2[t + 1]
            cuda.syncthreads()  # fault: syncthreads_divergent
    if t == L - 1:
        length[p] = diag1[L]


def similarity(first, second):
    n = first.shape[0]
    assert first.shape == second.shape == (n, L)
    d_len = cuda.device_array(n, dtype=np.int32)
    lcs_lengths[n, L](cuda.to_device(first), cuda.to_device(second), d_len)
    return d_len.copy_to_host() / L


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, (50_000, L), dtype=np.uint8)
    b = np.where(rng.random(a.shape) < 0.2, rng.integers(0, 4, a.shape, dtype=np.uint8), a)
    print(similarity(a, b).mean())
