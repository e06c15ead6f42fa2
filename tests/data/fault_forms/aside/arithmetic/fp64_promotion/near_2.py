# near: fp64_promotion
import numpy as np
from numba import cuda


@cuda.jit
def midpoints(left, right, middle):
    i = cuda.grid(1)
    if i < middle.size:
        middle[i] = 0.5 * (left[i] + right[i])


def edge_midpoints(left, right):
    d_left = cuda.to_device(left)
    d_right = cuda.to_device(right)
    d_middle = cuda.device_array(left.size, dtype=np.float32)
    blocks = (left.size + 255) // 256
    midpoints[blocks, 256](d_left, d_right, d_middle)
    return d_middle.copy_to_host()


if __name__ == "__main__":
    a = np.random.rand(10_000_000).astype(np.float32) + np.float32(1)
    b = np.random.rand(10_000_000).astype(np.float32) + np.float32(1)
    print(edge_midpoints(a, b)[:4])
