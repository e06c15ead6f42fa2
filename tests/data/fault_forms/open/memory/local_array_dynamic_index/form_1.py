import numpy as np
from numba import cuda, int32

LEVELS = 64


@cuda.jit
def neighbourhood_entropy(img, log_table, out, radius):
    """Shannon entropy of the grey levels around each pixel."""
    x, y = cuda.grid(2)
    h, w = img.shape
    if x >= w or y >= h:
        return
    counts = cuda.local.array(LEVELS, int32)
    for b in range(LEVELS):
        counts[b] = 0
    n = 0
    for r in range(max(y - radius, 0), min(y + radius + 1, h)):
        for c in range(max(x - radius, 0), min(x + radius + 1, w)):
            counts[img[r, c]] += 1  # fault: local_array_dynamic_index
            n += 1
    acc = 0.0
    for b in range(LEVELS):
        acc += log_table[counts[b]]
    out[y, x] = log_table[n] / n - acc / n


def entropy(img, radius=4):
    img = np.ascontiguousarray(img // 4, dtype=np.uint8)
    k = np.arange((2 * radius + 1) ** 2 + 1)
    table = np.zeros(k.size)
    table[1:] = k[1:] * np.log(k[1:])
    d_out = cuda.device_array(img.shape, dtype=np.float64)
    block = (32, 8)
    grid = ((img.shape[1] + 31) // 32, (img.shape[0] + 7) // 8)
    neighbourhood_entropy[grid, block](cuda.to_device(img), cuda.to_device(table), d_out, radius)
    return d_out.copy_to_host()


if __name__ == "__main__":
    np.save("entropy.npy", entropy(np.load("sar_amplitude_u8.npy")))
