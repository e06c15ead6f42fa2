# near: grid_does_not_cover
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def blend(a, b, alpha, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = alpha * a[i] + (1.0 - alpha) * b[i]


def crossfade(a, b, alpha):
    n = a.size
    assert n % THREADS == 0
    d_out = cuda.device_array(n, dtype=np.float64)
    blend[n // THREADS, THREADS](cuda.to_device(a), cuda.to_device(b), alpha, d_out)
    return d_out.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    left = rng.random(256 * 100_000)
    right = rng.random(256 * 100_000)
    print(crossfade(left, right, 0.3).mean())
