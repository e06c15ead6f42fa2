# near: allocation_in_loop
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def logistic(x, out, r):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        coupled = 0.9 * x[i] + 0.05 * (x[i - 1] + x[i + 1])
        out[i] = r * coupled * (1.0 - coupled)


def lattice(x0, r, steps):
    buffers = [cuda.to_device(x0) for _ in range(2)]
    blocks = (x0.size + TPB - 1) // TPB
    for k in range(steps):
        logistic[blocks, TPB](buffers[k & 1], buffers[1 - (k & 1)], r)
    return buffers[steps & 1].copy_to_host()


if __name__ == "__main__":
    np.save("lattice.npy", lattice(np.random.default_rng(0).random(5_000_000), 3.7, 4000))
