# near: undefined_name
"""Velocity Verlet for independent anharmonic oscillators."""
import numpy as np
from numba import cuda

dt = 1e-3


@cuda.jit
def verlet(x, v, steps):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < x.size:
        xi = x[i]
        vi = v[i]
        a = -xi - xi * xi * xi
        for _ in range(steps):
            xi += vi * dt + 0.5 * a * dt * dt
            a_new = -xi - xi * xi * xi
            vi += 0.5 * (a + a_new) * dt
            a = a_new
        x[i] = xi
        v[i] = vi


def main():
    n = 2_000_000
    d_x = cuda.to_device(np.random.normal(size=n))
    d_v = cuda.to_device(np.zeros(n))
    verlet[(n + 255) // 256, 256](d_x, d_v, 5000)
    print(d_x.copy_to_host().std())


if __name__ == "__main__":
    main()
