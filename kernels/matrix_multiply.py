"""Matrix multiplication, 256 x 256 times 256 x 256: out = a @ b.

The first version names its indices `i, j = cuda.grid(2)` and uses them as `out[i, j]`. The first of the
two runs along threadIdx.x, the lane axis, so that neighbouring lanes are a whole row apart in `a` and
`out`: each such load or store of a warp touches 16 sectors where 2 or 4 would do. The accumulator starts at
`0.0`, a float64, so that each of the 256 steps is a float64 multiply-add with conversions; and each
element of `a` and `b` is read from global memory 256 times.

The improved version puts the lanes along the columns, keeps the sum in a float32 register, and stages
8 x 32 of `a` and 32 x 32 of `b` in shared memory for each step along the inner dimension, with full rows
of 32 neighbouring elements in each load. In the inner loop a warp reads one word of the `a` tile
(a broadcast) and 32 neighbouring words of the `b` tile, so there are no bank conflicts and no padding is
needed. An 8 x 32 tile of the result gives 256 blocks; a 32 x 32 tile would give 64, fewer than the GPU has
multiprocessors. A 256 x 256 product is too small for tensor cores to gain.
"""

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

BLOCK_FIRST = (16, 16)
ROWS = 8
COLUMNS = 32
DEPTH = 32
BLOCK = (COLUMNS, ROWS)
ZERO = np.float32(0.0)


@cuda.jit
def matrix_multiply_first(a, b, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        out[i, j] = total


@cuda.jit
def matrix_multiply_improved(a, b, out):
    a_tile = cuda.shared.array((ROWS, DEPTH), np.float32)
    b_tile = cuda.shared.array((DEPTH, COLUMNS), np.float32)
    column, row = cuda.grid(2)
    lane = cuda.threadIdx.x
    tile_row = cuda.threadIdx.y

    total = ZERO
    for start in range(0, a.shape[1], DEPTH):
        if row < a.shape[0] and start + lane < a.shape[1]:
            a_tile[tile_row, lane] = a[row, start + lane]
        else:
            a_tile[tile_row, lane] = ZERO
        for k in range(tile_row, DEPTH, ROWS):
            if start + k < b.shape[0] and column < b.shape[1]:
                b_tile[k, lane] = b[start + k, column]
            else:
                b_tile[k, lane] = ZERO
        cuda.syncthreads()
        for k in range(DEPTH):
            total += a_tile[tile_row, k] * b_tile[k, lane]
        cuda.syncthreads()

    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = total


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(3)
    return {
        "a": random.standard_normal((sizes["rows"], sizes["inner"]), dtype=np.float32),
        "b": random.standard_normal((sizes["inner"], sizes["columns"]), dtype=np.float32),
    }


def run_first(inputs: Arrays) -> Arrays:
    a = cuda.to_device(inputs["a"])
    b = cuda.to_device(inputs["b"])
    out = cuda.device_array((a.shape[0], b.shape[1]), dtype=np.float32)
    grid = (
        (out.shape[0] + BLOCK_FIRST[0] - 1) // BLOCK_FIRST[0],
        (out.shape[1] + BLOCK_FIRST[1] - 1) // BLOCK_FIRST[1],
    )
    matrix_multiply_first[grid, BLOCK_FIRST](a, b, out)
    return {"out": out.copy_to_host()}


def run_improved(inputs: Arrays) -> Arrays:
    a = cuda.to_device(inputs["a"])
    b = cuda.to_device(inputs["b"])
    out = cuda.device_array((a.shape[0], b.shape[1]), dtype=np.float32)
    grid = ((out.shape[1] + COLUMNS - 1) // COLUMNS, (out.shape[0] + ROWS - 1) // ROWS)
    matrix_multiply_improved[grid, BLOCK](a, b, out)
    return {"out": out.copy_to_host()}


def reference(inputs: Arrays) -> Arrays:
    return {"out": inputs["a"].astype(np.float64) @ inputs["b"].astype(np.float64)}


WORKLOAD = Workload(
    name="matrix_multiply",
    full={"rows": 256, "inner": 256, "columns": 256},
    reduced={"rows": 11, "inner": 45, "columns": 37},
    build_inputs=make_inputs,
    first=matrix_multiply_first,
    improved=matrix_multiply_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=1e-5,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)
