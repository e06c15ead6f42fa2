"""Does any pair of neighbouring samples jump by more than the tolerance?"""
import numpy as np
from numba import boolean, cuda, float64, void


@cuda.jit(void(float64[::1], float64, boolean[::1]))
def mark_jumps(x, tolerance, jump):
    i = cuda.grid(1)
    if i < jump.shape[0]:
        jump[i] = abs(x[i + 1] - x[i]) > tolerance


def has_jump(x, tolerance):
    n = x.size - 1
    d_jump = cuda.device_array(n, dtype=np.bool_)
    mark_jumps[(n + 255) // 256, 256](cuda.to_device(x), tolerance, d_jump)
    return bool(d_jump.copy_to_host().any())  # fault: oversized_transfer


if __name__ == "__main__":
    drift = np.cumsum(np.random.default_rng(3).normal(size=90_000_000))
    print(has_jump(drift, 5.5))
