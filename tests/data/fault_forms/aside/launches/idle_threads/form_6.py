import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def wave(amplitude, k, x, phase):
    return amplitude * math.sin(k * x + phase)


@cuda.jit
def evaluate_modes(x, amplitude, wavenumber, phase, field):
    mode = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if mode < field.shape[0] and i < field.shape[1]:
        field[mode, i] = wave(amplitude[mode], wavenumber[mode], x[i], phase[mode])


class SeaSurface:
    threads = 32, 32

    def __init__(self, amplitude, wavenumber, phase):
        self.params = [cuda.to_device(a) for a in (amplitude, wavenumber, phase)]
        self.modes = len(amplitude)

    def sample(self, x):
        field = cuda.device_array((self.modes, x.size), dtype=np.float64)
        grid = math.ceil(x.size / self.threads[0]), math.ceil(self.modes / self.threads[1])
        evaluate_modes[grid, self.threads](cuda.to_device(x), *self.params, field)  # fault: idle_threads
        return field.copy_to_host()


if __name__ == "__main__":
    surface = SeaSurface(np.array([1.0, 0.3, 0.1, 0.05]), np.array([0.1, 0.4, 1.1, 2.0]), np.arange(4.0))
    print(surface.sample(np.linspace(0.0, 1e4, 12_000_000)).sum(axis=0).max())
