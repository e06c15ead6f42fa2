# near: block_too_small
import numpy as np
from numba import cuda, float64

WARP = 32
WARPS_PER_BLOCK = 8


@cuda.jit
def spectral_energy(re, im, energy):
    """One block per trace; the block sums |z|^2 of its row."""
    partial = cuda.shared.array(256, float64)
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    acc = 0.0
    for k in range(t, re.shape[1], cuda.blockDim.x):
        acc += re[row, k] * re[row, k] + im[row, k] * im[row, k]
    partial[t] = acc
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            partial[t] += partial[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        energy[row] = partial[0]


def energies(spectra):
    d_re = cuda.to_device(np.ascontiguousarray(spectra.real))
    d_im = cuda.to_device(np.ascontiguousarray(spectra.imag))
    d_energy = cuda.device_array(spectra.shape[0], dtype=np.float64)
    spectral_energy[spectra.shape[0], WARPS_PER_BLOCK * WARP](d_re, d_im, d_energy)
    return d_energy.copy_to_host()


if __name__ == "__main__":
    traces = np.random.default_rng(5).normal(size=(20_000, 4096))
    print(energies(np.fft.rfft(traces, axis=1))[:5])
