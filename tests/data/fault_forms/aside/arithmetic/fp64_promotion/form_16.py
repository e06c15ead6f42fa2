"""Many Roessler oscillators with different initial states."""
import numpy as np
from numba import cuda, float32

PARAMS = (0.2, 0.2, 5.7)


@cuda.jit(device=True)
def slope(x, y, z):
    a, b, c = PARAMS
    return -y - z, x + a * y, b + z * (x - c)  # fault: fp64_promotion


@cuda.jit
def integrate(xs, ys, zs, dt, steps):
    i = cuda.blockDim.x * cuda.blockIdx.x + cuda.threadIdx.x
    if i >= xs.size:
        return
    x, y, z = xs[i], ys[i], zs[i]
    half = float32(0.5) * dt
    for _ in range(steps):
        k1x, k1y, k1z = slope(x, y, z)
        mx = float32(x + half * k1x)
        my = float32(y + half * k1y)  # fault: fp64_promotion
        mz = float32(z + half * k1z)  # fault: fp64_promotion
        k2x, k2y, k2z = slope(mx, my, mz)
        x = float32(x + dt * k2x)
        y = float32(y + dt * k2y)
        z = float32(z + dt * k2z)
    xs[i], ys[i], zs[i] = x, y, z


def ensemble(n, steps=10_000, dt=0.005):
    rng = np.random.default_rng(0)
    state = [cuda.to_device(rng.uniform(-1, 1, n).astype(np.float32)) for _ in range(3)]
    integrate[(n + 127) // 128, 128](*state, np.float32(dt), steps)
    return [s.copy_to_host() for s in state]


if __name__ == "__main__":
    x, y, z = ensemble(1_000_000)
    print(x.std(), y.std(), z.mean())
