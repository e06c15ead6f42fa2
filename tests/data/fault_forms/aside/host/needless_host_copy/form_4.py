"""Huber weights for a robust regression."""
import numpy as np
from numba import cuda, float64, void


@cuda.jit(void(float64[::1], float64, float64, float64[::1]))
def huber_weight(residual, delta, floor, weight):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < weight.size:
        r = abs(residual[i])
        if r <= delta:
            weight[i] = 1.0
        else:
            weight[i] = max(delta / r, floor)


def robust_weights(residual, delta=1.345, floor=1e-3):
    weight = np.empty_like(residual)
    d_residual = cuda.to_device(residual)
    d_weight = cuda.to_device(weight)  # fault: needless_host_copy
    huber_weight[(weight.size + 127) // 128, 128](d_residual, delta, floor, d_weight)
    d_weight.copy_to_host(weight)
    return weight


if __name__ == "__main__":
    residual = np.random.default_rng(3).standard_t(3, 70_000_000)
    np.save("weights.npy", robust_weights(residual))
