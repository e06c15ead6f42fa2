import numpy as np
from numba import cuda

TPB = 128


@cuda.jit
def gemv_columns(at, x, y):
    """y = A @ x where `at` holds A transposed, so that lanes read neighbouring addresses."""
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row >= y.shape[0]:
        return
    acc = 0.0  # fault: fp64_promotion
    for k in range(x.shape[0]):
        acc += at[k, row] * x[k]  # fault: fp64_promotion
    y[row] = acc


class LinearLayer:
    def __init__(self, weight):
        self.out_features = weight.shape[0]
        self.d_weight_t = cuda.to_device(np.ascontiguousarray(weight.T.astype(np.float32)))
        self.d_out = cuda.device_array(self.out_features, dtype=np.float32)

    def forward(self, d_x):
        blocks = (self.out_features + TPB - 1) // TPB
        gemv_columns[blocks, TPB](self.d_weight_t, d_x, self.d_out)
        return self.d_out


def main():
    rng = np.random.default_rng(3)
    layer = LinearLayer(rng.standard_normal((65536, 1024), dtype=np.float32))
    d_x = cuda.to_device(rng.standard_normal(1024, dtype=np.float32))
    print(layer.forward(d_x).copy_to_host()[:5])


if __name__ == "__main__":
    main()
