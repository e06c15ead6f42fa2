import numpy as np
from numba import cuda


@cuda.jit
def normalise(signal, mean, scale):
    t = cuda.threadIdx.x
    for i in range(t, signal.shape[0], cuda.blockDim.x):
        signal[i] = (signal[i] - mean) * scale


class Recording:
    def __init__(self, samples):
        self.mean = samples.mean()
        self.scale = 1.0 / samples.std()
        self.device = cuda.to_device(samples)

    def whiten(self):
        normalise[1, 1024](self.device, self.mean, self.scale)  # fault: grid_too_small
        return self

    def to_host(self):
        return self.device.copy_to_host()


if __name__ == "__main__":
    eeg = np.random.default_rng(2).normal(3.0, 2.0, 30_000_000)
    white = Recording(eeg).whiten().to_host()
    print(white.mean(), white.std())
