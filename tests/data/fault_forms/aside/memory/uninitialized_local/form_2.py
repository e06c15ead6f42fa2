"""Material law with elastic, plastic and failed branches."""
import cupy as cp
from numba import cuda


@cuda.jit
def stress_update(strain, modulus, hardening, stress):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < strain.size:
        e = strain[i]
        if abs(e) < 0.002:
            s = modulus * e
        elif e > 0.002:
            s = modulus * 0.002 + hardening * (e - 0.002)
        elif e < -0.002:
            s = -modulus * 0.002 + hardening * (e + 0.002)
        stress[i] = s  # fault: uninitialized_local


class Material:
    def __init__(self, modulus, hardening):
        self.modulus = modulus
        self.hardening = hardening

    def stress(self, strain):
        out = cp.empty_like(strain)
        threads = 256
        stress_update[(strain.size + threads - 1) // threads, threads](strain, self.modulus, self.hardening, out)
        return out


if __name__ == "__main__":
    strain = cp.load("gauss_point_strain.npy").astype(cp.float64)
    cp.save("stress.npy", Material(2.1e11, 1.5e9).stress(strain))
