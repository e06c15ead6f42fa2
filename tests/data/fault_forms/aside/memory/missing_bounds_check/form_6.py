import numpy as np
from numba import cuda


@cuda.jit
def rank_one_update(weights, inputs, delta, eta, n_in, n_out):
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if i > n_out or j > n_in:
        return
    weights[i, j] += eta * delta[i] * inputs[j]  # fault: missing_bounds_check


class DenseLayer:
    def __init__(self, weights):
        self.weights = cuda.to_device(np.ascontiguousarray(weights, dtype=np.float64))
        self.n_out, self.n_in = weights.shape
        self.block = (32, 8)
        self.grid = ((self.n_in + 31) // 32, (self.n_out + 7) // 8)

    def update(self, d_inputs, d_delta, eta):
        rank_one_update[self.grid, self.block](self.weights, d_inputs, d_delta, eta, self.n_in, self.n_out)

    def save(self, path):
        np.save(path, self.weights.copy_to_host())


if __name__ == "__main__":
    layer = DenseLayer(np.load("w_3000x5000.npy"))
    x = cuda.to_device(np.load("activation.npy"))
    delta = cuda.to_device(np.load("delta.npy"))
    layer.update(x, delta, 1.0e-3)
    layer.save("w_updated.npy")
