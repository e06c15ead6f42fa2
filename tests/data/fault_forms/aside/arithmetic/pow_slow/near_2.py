# near: pow_slow
"""Display gamma; the exponent is a measured property of the panel."""
import math

import cupy as cp
from numba import cuda


@cuda.jit
def apply_gamma(linear, gamma, encoded):
    i = cuda.grid(1)
    if i < linear.size:
        encoded[i] = math.pow(linear[i], gamma)


def encode(linear, panel_gamma):
    encoded = cp.empty_like(linear)
    apply_gamma[(linear.size + 255) // 256, 256](linear, 1.0 / panel_gamma, encoded)
    return encoded


if __name__ == "__main__":
    print(float(encode(cp.random.rand(24_000_000), 2.37).mean()))
