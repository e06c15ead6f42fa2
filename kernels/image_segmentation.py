"""Image segmentation, 256 x 256, threshold 100: label each pixel and count the object's pixels.

A pixel brighter than the threshold belongs to the object (label 1), any other to the background (label 0).
The second result is the object's area in pixels.

The first version walks over the pixels with a flat index and recovers row and column by dividing by the
width, which is known at run time only: a 64-bit division and a remainder for each pixel. It counts the
area with one global atomic for each object pixel. Its grid is fixed at 32 blocks of 100 threads, whatever
the image and the GPU; 100 is no multiple of 32.

The improved version takes row and column from a two-dimensional grid with the lanes along the columns,
lets the block barrier count the block's object pixels (`syncthreads_count`), and does one atomic for each
of its 256 blocks.
"""

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

THRESHOLD = np.float32(100.0)
OBJECT = np.float32(1.0)
BACKGROUND = np.float32(0.0)
BLOCKS_FIRST = 32
THREADS_FIRST = 100
ROWS = 8
COLUMNS = 32
BLOCK = (COLUMNS, ROWS)


@cuda.jit
def image_segmentation_first(image, labels, area):
    height, width = image.shape
    for pixel in range(cuda.grid(1), height * width, cuda.gridsize(1)):
        row = pixel // width
        column = pixel % width
        if image[row, column] > THRESHOLD:
            labels[row, column] = 1
            cuda.atomic.add(area, 0, 1)
        else:
            labels[row, column] = 0


@cuda.jit
def image_segmentation_improved(image, labels, area):
    column, row = cuda.grid(2)
    is_object = False
    if row < image.shape[0] and column < image.shape[1]:
        is_object = image[row, column] > THRESHOLD
        labels[row, column] = OBJECT if is_object else BACKGROUND

    block_area = cuda.syncthreads_count(np.int32(is_object))
    if cuda.threadIdx.x == 0 and cuda.threadIdx.y == 0:
        cuda.atomic.add(area, 0, block_area)


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(5)
    return {"image": random.random((sizes["height"], sizes["width"]), dtype=np.float32) * np.float32(255.0)}


def run_first(inputs: Arrays) -> Arrays:
    image = cuda.to_device(inputs["image"])
    labels = cuda.device_array(image.shape, dtype=np.float32)
    area = cuda.to_device(np.zeros(1, dtype=np.int32))
    image_segmentation_first[BLOCKS_FIRST, THREADS_FIRST](image, labels, area)
    return {"labels": labels.copy_to_host(), "area": area.copy_to_host()}


def run_improved(inputs: Arrays) -> Arrays:
    image = cuda.to_device(inputs["image"])
    labels = cuda.device_array(image.shape, dtype=np.float32)
    area = cuda.to_device(np.zeros(1, dtype=np.int32))
    grid = ((image.shape[1] + COLUMNS - 1) // COLUMNS, (image.shape[0] + ROWS - 1) // ROWS)
    image_segmentation_improved[grid, BLOCK](image, labels, area)
    return {"labels": labels.copy_to_host(), "area": area.copy_to_host()}


def reference(inputs: Arrays) -> Arrays:
    is_object = inputs["image"] > THRESHOLD
    return {"labels": is_object.astype(np.float64), "area": np.array([np.count_nonzero(is_object)])}


WORKLOAD = Workload(
    name="image_segmentation",
    full={"height": 256, "width": 256},
    reduced={"height": 37, "width": 91},
    build_inputs=make_inputs,
    first=image_segmentation_first,
    improved=image_segmentation_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=0.0,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)
