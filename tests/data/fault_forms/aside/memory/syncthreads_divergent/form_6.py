import cupy as cp
from numba import cuda, float32

TAPS = 5


class BoxBlur:
    """Mean of TAPS x TAPS pixels through a shared tile with a halo."""

    block = (32, 8)

    def __init__(self, shape):
        self.shape = shape
        self.grid = ((shape[1] + 31) // 32, (shape[0] + 7) // 8)

    def __call__(self, image):
        out = cp.empty(self.shape, dtype=cp.float32)
        box_blur[self.grid, self.block](image, out)
        return out


@cuda.jit
def box_blur(image, out):
    tile = cuda.shared.array((8 + 4, 32 + 4), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    x0 = cuda.blockIdx.x * 32
    y0 = cuda.blockIdx.y * 8
    h, w = image.shape
    for r in range(ty, 12, 8):
        for c in range(tx, 36, 32):
            y = min(max(y0 + r - 2, 0), h - 1)
            x = min(max(x0 + c - 2, 0), w - 1)
            tile[r, c] = image[y, x]
            cuda.syncthreads()  # fault: syncthreads_divergent
    if x0 + tx < w and y0 + ty < h:
        acc = float32(0.0)
        for r in range(TAPS):
            for c in range(TAPS):
                acc += tile[ty + r, tx + c]
        out[y0 + ty, x0 + tx] = acc * float32(0.04)
