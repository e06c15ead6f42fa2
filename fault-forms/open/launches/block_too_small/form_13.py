from dataclasses import dataclass

import numpy as np
from numba import cuda


@dataclass(frozen=True)
class LaunchSettings:
    threads: int = 32

    def blocks(self, n):
        return (n + self.threads - 1) // self.threads


DEFAULT = LaunchSettings()


@cuda.jit("void(float32[::1], float32[::1], float32, float32[::1])")
def drag(speed, density, coef, force):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < force.shape[0]:
        v = speed[i]
        force[i] = -coef * density[i] * abs(v) * v


@cuda.jit("void(float32[::1], float32[::1], float32, float32[::1])")
def kick(force, inv_mass, dt, speed):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < speed.shape[0]:
        speed[i] += force[i] * inv_mass[i] * dt


def decelerate(speed, density, inv_mass, steps, dt, settings=DEFAULT):
    n = speed.size
    d_speed, d_density, d_inv = (cuda.to_device(a) for a in (speed, density, inv_mass))
    d_force = cuda.device_array(n, dtype=np.float32)
    for _ in range(steps):
        drag[settings.blocks(n), settings.threads](d_speed, d_density, 0.47, d_force)
        kick[settings.blocks(n), settings.threads](d_force, d_inv, dt, d_speed)
    return d_speed.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    n = 5_000_000
    v = rng.uniform(10, 300, n).astype(np.float32)
    rho = rng.uniform(0.9, 1.3, n).astype(np.float32)
    print(decelerate(v, rho, np.full(n, 0.1, np.float32), 100, 1e-3).mean())
