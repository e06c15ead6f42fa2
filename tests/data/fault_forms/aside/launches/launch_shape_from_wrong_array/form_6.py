import numpy as np
from numba import cuda

TX, TY = 64, 4


@cuda.jit
def dense_forward(x, w, bias, out):
    """out[b, o] = sum_k x[b, k] w[k, o] + bias[o]"""
    o = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    b = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if b < out.shape[0] and o < out.shape[1]:
        acc = bias[o]
        for k in range(w.shape[0]):
            acc += x[b, k] * w[k, o]
        out[b, o] = acc


class Linear:
    def __init__(self, n_in, n_out, rng):
        weight = rng.normal(0.0, n_in ** -0.5, (n_in, n_out))
        self.weight = cuda.to_device(weight)
        self.bias = cuda.to_device(np.zeros(n_out))

    def __call__(self, x):
        n_out = self.bias.shape[0]
        out = cuda.device_array((x.shape[0], n_out), dtype=np.float64)
        grid = (x.shape[1] + TX - 1) // TX, (x.shape[0] + TY - 1) // TY
        dense_forward[grid, (TX, TY)](x, self.weight, self.bias, out)  # fault: launch_shape_from_wrong_array
        return out


if __name__ == "__main__":
    rng = np.random.default_rng(6)
    layer = Linear(128, 2000, rng)
    batch = cuda.to_device(rng.normal(size=(8192, 128)))
    np.save("hidden.npy", layer(batch).copy_to_host())
