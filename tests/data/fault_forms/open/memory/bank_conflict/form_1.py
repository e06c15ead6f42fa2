import cupy as cp
from numba import cuda, float32

TILE = 32


@cuda.jit
def rotate90(image, out):
    """Quarter turn, clockwise, through a shared tile."""
    tile = cuda.shared.array((TILE, TILE), float32)
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
        out[src_x, h - 1 - src_y] = tile[tx, ty]  # fault: bank_conflict


def rotate(image):
    h, w = image.shape
    out = cp.empty((w, h), dtype=cp.float32)
    grid = ((w + TILE - 1) // TILE, (h + TILE - 1) // TILE)
    rotate90[grid, (TILE, TILE)](image, out)
    return out


if __name__ == "__main__":
    plate = cp.load("sky_plate.npy").astype(cp.float32)
    cp.save("sky_plate_rot.npy", rotate(plate))
