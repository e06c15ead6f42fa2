"""Local entropy, 512 x 512 image, 16 x 16 window around each pixel, grey levels in 16 bins, in bits.

The window of pixel (y, x) covers rows y-8 to y+7 and columns x-8 to x+7; pixels outside the image do not
count. The image holds grey levels from 0 up to 256.

The first version keeps a histogram for each thread in a local array indexed by the data, which no register
can hold, so that 256 updates for each pixel go to local memory, that is, off the chip or to its caches. It
divides and takes logarithms in float64 (`0.0`, `256.0`, `math.log(2.0)`), counts all 256 pixels of the
window again for each pixel, and runs the lanes along the rows of the image (`i, j = cuda.grid(2)`).

The improved version lets a block compute 8 rows of 128 columns. It reads the pixels it needs once, as bin
numbers, into shared memory; each thread then slides its window down one column, adding the 16 pixels that
enter and taking off the 16 that leave. The histograms lie in shared memory with the thread as the last
index, so that each lane stays in its own bank whatever bin it updates, and no thread touches another's.
Pixels outside the image go to a spare bin, which spares the test in the inner loop. With
H = log2(N) - sum(n log2 n) / N one division is left for each pixel, and all of it is float32.
"""

import math

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

WINDOW = 16
HALF = 8
BINS = 16
OUTSIDE = 16
HISTOGRAM_ROWS = BINS + 1
LAST_BIN = 15
BINS_PER_LEVEL = np.float32(0.0625)
BLOCK_FIRST = (16, 16)
THREADS = 128
STRIP = 8
TILE_ROWS = STRIP + WINDOW - 1
TILE_COLUMNS = THREADS + WINDOW - 1
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
WINDOW_PIXELS = np.float32(256.0)


@cuda.jit
def pixel_entropy_first(image, out):
    i, j = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        histogram = cuda.local.array(BINS, np.float32)
        for b in range(BINS):
            histogram[b] = 0.0
        count = 0.0
        for di in range(-HALF, HALF):
            for dj in range(-HALF, HALF):
                y = i + di
                x = j + dj
                if y >= 0 and y < image.shape[0] and x >= 0 and x < image.shape[1]:
                    b = min(int(image[y, x] / 256.0 * BINS), LAST_BIN)
                    histogram[b] += 1.0
                    count += 1.0
        entropy = 0.0
        for b in range(BINS):
            if histogram[b] > 0.0:
                p = histogram[b] / count
                entropy -= p * math.log(p) / math.log(2.0)
        out[i, j] = entropy


@cuda.jit
def pixel_entropy_improved(image, out):
    tile = cuda.shared.array((TILE_ROWS, TILE_COLUMNS), np.uint8)
    histogram = cuda.shared.array((HISTOGRAM_ROWS, THREADS), np.float32)
    lane = cuda.threadIdx.x
    left = cuda.blockIdx.x * THREADS
    top = cuda.blockIdx.y * STRIP
    column = left + lane

    for r in range(TILE_ROWS):
        y = top + r - HALF
        for c in range(lane, TILE_COLUMNS, THREADS):
            x = left + c - HALF
            if y >= 0 and y < image.shape[0] and x >= 0 and x < image.shape[1]:
                tile[r, c] = min(np.int32(image[y, x] * BINS_PER_LEVEL), LAST_BIN)
            else:
                tile[r, c] = OUTSIDE
    for b in range(HISTOGRAM_ROWS):
        histogram[b, lane] = ZERO
    cuda.syncthreads()

    for r in range(WINDOW - 1):
        for c in range(WINDOW):
            histogram[tile[r, lane + c], lane] += ONE
    for r in range(STRIP):
        for c in range(WINDOW):
            histogram[tile[r + WINDOW - 1, lane + c], lane] += ONE
        if column < out.shape[1] and top + r < out.shape[0]:
            weighted = ZERO
            for b in range(BINS):
                n = histogram[b, lane]
                weighted += n * math.log2(max(n, ONE))
            count = WINDOW_PIXELS - histogram[OUTSIDE, lane]
            out[top + r, column] = math.log2(count) - weighted / count
        for c in range(WINDOW):
            histogram[tile[r, lane + c], lane] -= ONE


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(6)
    height, width = sizes["height"], sizes["width"]
    ramp = np.linspace(0.0, 200.0, width, dtype=np.float32)
    return {"image": ramp + random.random((height, width), dtype=np.float32) * np.float32(55.0)}


def run_first(inputs: Arrays) -> Arrays:
    image = cuda.to_device(inputs["image"])
    out = cuda.device_array(image.shape, dtype=np.float32)
    grid = (
        (image.shape[0] + BLOCK_FIRST[0] - 1) // BLOCK_FIRST[0],
        (image.shape[1] + BLOCK_FIRST[1] - 1) // BLOCK_FIRST[1],
    )
    pixel_entropy_first[grid, BLOCK_FIRST](image, out)
    return {"out": out.copy_to_host()}


def run_improved(inputs: Arrays) -> Arrays:
    image = cuda.to_device(inputs["image"])
    out = cuda.device_array(image.shape, dtype=np.float32)
    grid = ((image.shape[1] + THREADS - 1) // THREADS, (image.shape[0] + STRIP - 1) // STRIP)
    pixel_entropy_improved[grid, THREADS](image, out)
    return {"out": out.copy_to_host()}


def reference(inputs: Arrays) -> Arrays:
    bins = np.minimum(inputs["image"] // 16, LAST_BIN)
    padded = np.pad(bins, (HALF, HALF - 1), constant_values=-1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (WINDOW, WINDOW))
    counts = np.stack([(windows == b).sum(axis=(2, 3)) for b in range(BINS)])
    share = counts / counts.sum(axis=0)
    return {"out": -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=0)}


WORKLOAD = Workload(
    name="pixel_entropy",
    full={"height": 512, "width": 512},
    reduced={"height": 19, "width": 21},
    build_inputs=make_inputs,
    first=pixel_entropy_first,
    improved=pixel_entropy_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=1e-5,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)
