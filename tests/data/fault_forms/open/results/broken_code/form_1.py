import numpy as np
from numba import cuda


@cuda.jit
def polygon_edge_lengths(px, py, lengths):
    i = cuda.grid(1)
    n = px.size
    if i < n:
        j = i + 1 if i + 1 < n else 0
        edge = np.array([px[j] - px[i], py[j] - py[i]])  # fault: broken_code
        lengths[i] = np.linalg.norm(edge)  # fault: broken_code


def perimeter(px, py):
    d_x = cuda.to_device(px)
    d_y = cuda.to_device(py)
    d_len = cuda.device_array(px.size, dtype=np.float64)
    threads = 128
    blocks = (px.size + threads - 1) // threads
    polygon_edge_lengths[blocks, threads](d_x, d_y, d_len)
    return d_len.copy_to_host().sum()


if __name__ == "__main__":
    t = np.linspace(0, 2 * np.pi, 2_000_000, endpoint=False)
    print(perimeter(np.cos(t), np.sin(t)))
