import cupy as cp
from numba import cuda


@cuda.jit
def blend(base, overlay, mask, out):
    col, row = cuda.grid(2)
    if col < base.shape[1]:
        m = mask[row, col]  # fault: missing_bounds_check
        out[row, col] = base[row, col] * (1.0 - m) + overlay[row, col] * m  # fault: missing_bounds_check


def composite(base, overlay, mask):
    """Blend two equally sized float64 layers; all arrays live on the device."""
    if not base.shape == overlay.shape == mask.shape:
        raise ValueError("layers differ in shape")
    out = cp.empty_like(base)
    height, width = base.shape
    threads = (32, 16)
    blocks = ((width + threads[0] - 1) // threads[0], (height + threads[1] - 1) // threads[1])
    blend[blocks, threads](base, overlay, mask, out)
    return out


if __name__ == "__main__":
    layers = cp.load("layers_3x2850x4275.npy").astype(cp.float64)
    result = composite(layers[0], layers[1], layers[2])
    cp.save("composite.npy", result)
