# near: thread_invariant_recompute
"""Phase shift that differs for every receiver and step."""
import math

import cupy as cp
from numba import cuda


@cuda.jit
def beam(samples, delay, out, omega):
    c = cuda.grid(1)
    if c < out.size:
        tau = delay[c]
        acc = 0.0
        for k in range(samples.shape[0]):
            acc += samples[k, c] * math.cos(omega * k * tau)
        out[c] = acc


def steer(samples, delay, omega):
    out = cp.empty(samples.shape[1])
    beam[(out.size + 127) // 128, 128](samples, delay, out, omega)
    return out


if __name__ == "__main__":
    print(float(steer(cp.random.rand(512, 200_000), cp.random.rand(200_000), 0.2).max()))
