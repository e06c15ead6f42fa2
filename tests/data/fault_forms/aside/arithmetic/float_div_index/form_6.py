"""All pairs (i, j) of a batch in one flat launch."""
import numpy as np
from numba import cuda


@cuda.jit
def pair_products(u, v, out):
    pair = cuda.grid(1)
    n = v.size
    total = u.size * n
    stride = cuda.gridsize(1)
    while pair < total:
        left = int(pair / n)  # fault: float_div_index
        right = pair - left * n
        out[pair] = u[left] * v[right]
        pair += stride


class OuterProduct:
    threads = 256
    blocks = 1320

    def __init__(self, u, v):
        self.d_u = cuda.to_device(u)
        self.d_v = cuda.to_device(v)
        self.d_out = cuda.device_array(u.size * v.size, dtype=np.float64)

    def compute(self):
        pair_products[self.blocks, self.threads](self.d_u, self.d_v, self.d_out)
        return self.d_out


if __name__ == "__main__":
    op = OuterProduct(np.random.rand(9000), np.random.rand(11000))
    print(op.compute().copy_to_host()[:3])
