"""Direct-sum gravity."""
import numpy as np
from numba import cuda


class GravitySolver:
    TPB = 128

    def __init__(self, softening=1e-3):
        self.eps2 = softening * softening

    @staticmethod
    @cuda.jit
    def _accelerations(x, y, z, m, eps2, ax, ay, az):
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i >= x.size:
            return
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for j in range(x.size):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            inv = m[j] * (dx * dx + dy * dy + dz * dz + eps2) ** -1.5  # fault: pow_slow
            sx += dx * inv
            sy += dy * inv
            sz += dz * inv
        ax[i] = sx
        ay[i] = sy
        az[i] = sz

    def accelerations(self, d_pos, d_mass):
        n = d_mass.size
        acc = [cuda.device_array(n, dtype=np.float64) for _ in range(3)]
        self._accelerations[(n + self.TPB - 1) // self.TPB, self.TPB](*d_pos, d_mass, self.eps2, *acc)
        return acc


if __name__ == "__main__":
    n = 131072
    pos = [cuda.to_device(np.random.rand(n)) for _ in range(3)]
    acc = GravitySolver().accelerations(pos, cuda.to_device(np.full(n, 1.0 / n)))
    print(acc[0].copy_to_host()[:3])
