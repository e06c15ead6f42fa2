# near: bank_conflict
import cupy as cp
from numba import cuda, float32

TILE = 32
PITCH = TILE + 1


@cuda.jit
def flip_diagonal(image, out):
    tile = cuda.shared.array((TILE, PITCH), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    x = cuda.blockIdx.x * TILE + tx
    y = cuda.blockIdx.y * TILE + ty
    h, w = image.shape
    if x < w and y < h:
        tile[ty, tx] = image[y, x]
    cuda.syncthreads()
    src_y = cuda.blockIdx.y * TILE + tx
    src_x = cuda.blockIdx.x * TILE + ty
    if src_x < w and src_y < h:
        out[w - 1 - src_x, h - 1 - src_y] = tile[tx, ty]


def transverse(image):
    h, w = image.shape
    out = cp.empty((w, h), dtype=cp.float32)
    flip_diagonal[((w + TILE - 1) // TILE, (h + TILE - 1) // TILE), (TILE, TILE)](image, out)
    return out


if __name__ == "__main__":
    cp.save("transverse.npy", transverse(cp.load("ortho_tile.npy").astype(cp.float32)))
