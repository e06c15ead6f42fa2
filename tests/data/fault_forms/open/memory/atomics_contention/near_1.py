# near: atomics_contention
import cupy as cp
from numba import cuda, float64

TPB = 256


@cuda.jit
def weighted_sum(w, x, total):
    s = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += w[i] * x[i]
    s[t] = acc
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(total, 0, s[0])


def expectation(w, x):
    total = cp.zeros(1, dtype=cp.float64)
    weighted_sum[528, TPB](w, x, total)
    return float(total[0])


if __name__ == "__main__":
    chain = cp.load("posterior.npz")
    print(expectation(chain["weight"], chain["h0"]))
