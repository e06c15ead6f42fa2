import numpy as np
from numba import cuda


@cuda.jit
def dense_forward(weights_t, x, bias, y):
    """y[s, o] = bias[o] + sum over inputs k of x[s, k] * W[o, k]."""
    o, s = cuda.grid(2)
    if s < y.shape[0] and o < y.shape[1]:
        acc = bias[o]
        for k in range(cuda.blockDim.x):  # fault: wrong_loop_bound
            acc += x[s, k] * weights_t[k, o]
        y[s, o] = acc


def forward(x, weights, bias):
    samples, outputs = x.shape[0], weights.shape[0]
    d_y = cuda.device_array((samples, outputs), dtype=np.float64)
    threads = (32, 8)
    blocks = ((outputs + 31) // 32, (samples + 7) // 8)
    d_wt = cuda.to_device(np.ascontiguousarray(weights.T))
    dense_forward[blocks, threads](d_wt, cuda.to_device(x), cuda.to_device(bias), d_y)
    return d_y.copy_to_host()


if __name__ == "__main__":
    x = np.random.rand(8192, 784)
    w = np.random.rand(512, 784)
    print(forward(x, w, np.zeros(512))[0, :4])
