# near: needless_host_copy
import numpy as np
from numba import cuda

TPB = 256


@cuda.jit
def fill(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = value


@cuda.jit
def scatter(target, weight, total):
    i = cuda.grid(1)
    if i < target.size:
        cuda.atomic.add(total, target[i], weight[i])


def deposit(target, weight, cells):
    total = cuda.device_array(cells, dtype=np.float64)
    fill[(cells + TPB - 1) // TPB, TPB](total, 0.0)
    scatter[(target.size + TPB - 1) // TPB, TPB](cuda.to_device(target), cuda.to_device(weight), total)
    return total.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    target = rng.integers(0, 8_000_000, 40_000_000)
    np.save("deposit.npy", deposit(target, rng.random(target.size), 8_000_000))
