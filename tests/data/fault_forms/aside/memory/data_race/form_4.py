import cupy as cp
from numba import cuda, float64

THREADS = 256


@cuda.jit
def partial_dot(a, b, partial):
    cache = cuda.shared.array(THREADS, float64)
    tx = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        acc += a[i] * b[i]
    cache[tx] = acc
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if tx < step:
            cache[tx] += cache[tx + step]  # fault: data_race
        step //= 2
    if tx == 0:
        partial[cuda.blockIdx.x] = cache[0]


def dot(a, b):
    blocks = 1024
    partial = cp.empty(blocks, dtype=cp.float64)
    partial_dot[blocks, THREADS](a, b, partial)
    return partial.sum()


def power_iteration(matrix, n_iter=50):
    v = cp.ones(matrix.shape[0], dtype=cp.float64)
    lam = dot(v, v)
    for _ in range(n_iter):
        w = matrix @ v
        lam = dot(v, w)
        v = w / cp.sqrt(dot(w, w))
    return lam, v


if __name__ == "__main__":
    stiffness = cp.load("stiffness.npy").astype(cp.float64)
    value, vector = power_iteration(stiffness)
    print("largest eigenvalue:", float(value))
