import cupy as cp
from numba import cuda, float64, void

# Morse potential on a set of bond lengths for a family of well depths
bonds = cp.random.uniform(0.8, 3.0, 4_000_000)
energies = cp.empty((30, bonds.size))


def morse_kernel(depth, width, r0):
    import math

    @cuda.jit(void(float64[::1], float64[::1]))  # fault: jit_in_function
    def kernel(r, e):
        i = cuda.grid(1)
        if i < r.size:
            q = 1.0 - math.exp(-width * (r[i] - r0))
            e[i] = depth * q * q

    return kernel


blocks = (bonds.size + 255) // 256
for k in range(30):
    morse_kernel(1.0 + 0.1 * k, 1.7, 1.2)[blocks, 256](bonds, energies[k])
cp.save("morse.npy", energies)
