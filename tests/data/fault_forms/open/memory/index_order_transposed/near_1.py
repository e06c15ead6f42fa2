# near: index_order_transposed
import math

import numpy as np
from numba import cuda


@cuda.jit
def laplacian(field, out, inv_h2):
    i, j = cuda.grid(2)
    ny, nx = field.shape
    if i < nx and j < ny:
        if i > 0 and i < nx - 1 and j > 0 and j < ny - 1:
            out[j, i] = inv_h2 * (field[j, i - 1] + field[j, i + 1] + field[j - 1, i]
                                  + field[j + 1, i] - 4.0 * field[j, i])
        else:
            out[j, i] = 0.0


def main():
    field = np.ascontiguousarray(np.load("potential.npy"), dtype=np.float64)
    d_field = cuda.to_device(field)
    d_out = cuda.device_array_like(d_field)
    ny, nx = field.shape
    threads = (32, 8)
    blocks = (math.ceil(nx / threads[0]), math.ceil(ny / threads[1]))
    laplacian[blocks, threads](d_field, d_out, 1.0e4)
    np.save("charge.npy", d_out.copy_to_host())


if __name__ == "__main__":
    main()
