"""FDTD in one dimension with separate kernels for the two fields."""
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def update_h(e, h, c):
    i = cuda.grid(1)
    if i < h.size - 1:
        h[i] += c * (e[i + 1] - e[i])


@cuda.jit
def update_e(e, h, c):
    i = cuda.grid(1)
    if 0 < i < e.size:
        e[i] += c * (h[i] - h[i - 1])


def main():
    n = 1_000_000
    e = cuda.to_device(np.exp(-np.linspace(-30.0, 30.0, n) ** 2))
    h = cuda.to_device(np.zeros(n))
    blocks = (n + THREADS - 1) // THREADS
    for _ in range(20_000):
        update_h[blocks, THREADS](e, h, 0.5)
        cuda.synchronize()  # fault: needless_sync
        update_e[blocks, THREADS](e, h, 0.5)
        cuda.synchronize()  # fault: needless_sync
    np.save("field.npy", e.copy_to_host())


if __name__ == "__main__":
    main()
