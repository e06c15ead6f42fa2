"""Two-dimensional convolution, 256 x 256 image, 3 x 3 Sobel mask, borders taken as zero.

As in neural networks, the mask is not mirrored (a cross-correlation), and the result has the image's size.

The first version adds each product to `out` in global memory, nine loads and nine stores for each pixel
where a register would do; it indexes with the lane axis on the rows (`i, j = cuda.grid(2)`), so that
neighbouring lanes are 1,024 bytes apart; it reads each pixel of the image nine times; and its block of
22 x 22 = 484 threads, the largest square within 512, is no multiple of 32.

The improved version puts the lanes along the columns, stages the 10 x 34 pixels that a block of 8 x 32
results needs in shared memory, sums in a register, and keeps the mask in constant memory, where a warp
reads each of its words once. A row of the tile is read by 32 neighbouring lanes: no bank conflicts.
"""

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

SOBEL = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]], dtype=np.float32)
SIDE = 3
RADIUS = 1
BLOCK_FIRST = (22, 22)
ROWS = 8
COLUMNS = 32
BLOCK = (COLUMNS, ROWS)
TILE_ROWS = ROWS + 2 * RADIUS
TILE_COLUMNS = COLUMNS + 2 * RADIUS
ZERO = np.float32(0.0)


@cuda.jit
def conv2d_first(image, mask, out):
    i, j = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        out[i, j] = 0.0
        for di in range(mask.shape[0]):
            for dj in range(mask.shape[1]):
                y = i + di - mask.shape[0] // 2
                x = j + dj - mask.shape[1] // 2
                if y >= 0 and y < image.shape[0] and x >= 0 and x < image.shape[1]:
                    out[i, j] += image[y, x] * mask[di, dj]


@cuda.jit
def conv2d_improved(image, out):
    tile = cuda.shared.array((TILE_ROWS, TILE_COLUMNS), np.float32)
    mask = cuda.const.array_like(SOBEL)
    column, row = cuda.grid(2)
    lane = cuda.threadIdx.x
    tile_row = cuda.threadIdx.y

    for r in range(tile_row, TILE_ROWS, ROWS):
        for c in range(lane, TILE_COLUMNS, COLUMNS):
            y = cuda.blockIdx.y * ROWS + r - RADIUS
            x = cuda.blockIdx.x * COLUMNS + c - RADIUS
            if y >= 0 and y < image.shape[0] and x >= 0 and x < image.shape[1]:
                tile[r, c] = image[y, x]
            else:
                tile[r, c] = ZERO
    cuda.syncthreads()

    if row < image.shape[0] and column < image.shape[1]:
        total = ZERO
        for r in range(SIDE):
            for c in range(SIDE):
                total += tile[tile_row + r, lane + c] * mask[r, c]
        out[row, column] = total


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(4)
    return {"image": random.random((sizes["height"], sizes["width"]), dtype=np.float32)}


def run_first(inputs: Arrays) -> Arrays:
    image = cuda.to_device(inputs["image"])
    mask = cuda.to_device(SOBEL)
    out = cuda.device_array(image.shape, dtype=np.float32)
    grid = (
        (image.shape[0] + BLOCK_FIRST[0] - 1) // BLOCK_FIRST[0],
        (image.shape[1] + BLOCK_FIRST[1] - 1) // BLOCK_FIRST[1],
    )
    conv2d_first[grid, BLOCK_FIRST](image, mask, out)
    return {"out": out.copy_to_host()}


def run_improved(inputs: Arrays) -> Arrays:
    image = cuda.to_device(inputs["image"])
    out = cuda.device_array(image.shape, dtype=np.float32)
    grid = ((image.shape[1] + COLUMNS - 1) // COLUMNS, (image.shape[0] + ROWS - 1) // ROWS)
    conv2d_improved[grid, BLOCK](image, out)
    return {"out": out.copy_to_host()}


def reference(inputs: Arrays) -> Arrays:
    padded = np.pad(inputs["image"].astype(np.float64), RADIUS)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (SIDE, SIDE))
    return {"out": np.einsum("yxij,ij->yx", windows, SOBEL)}


WORKLOAD = Workload(
    name="conv2d",
    full={"height": 256, "width": 256},
    reduced={"height": 25, "width": 45},
    build_inputs=make_inputs,
    first=conv2d_first,
    improved=conv2d_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=1e-6,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)
