"""Dot product, 100,000 elements: out[0] = sum(a * b).

The first version adds each product to the result with a global atomic, so that 100,000 updates of one
address wait for each other. Its 1,000 blocks of 100 threads give exactly 100,000 threads, so it has no
bounds check and is right at multiples of 100 only; and 100 is no multiple of 32, so that the last warp of
each block runs with 4 of its 32 lanes.

The improved version sums two products for each thread in a register, then within the block in shared
memory, and does one atomic for each of its 196 blocks. It is right at every length.
"""

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

THREADS_FIRST = 100
THREADS = 256
ELEMENTS_PER_THREAD = 2
ELEMENTS_PER_BLOCK = THREADS * ELEMENTS_PER_THREAD


@cuda.jit
def dot_product_first(a, b, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, a[i] * b[i])


@cuda.jit
def dot_product_improved(a, b, out):
    partial = cuda.shared.array(THREADS, np.float32)
    thread = cuda.threadIdx.x

    total = np.float32(0.0)
    first = cuda.blockIdx.x * ELEMENTS_PER_BLOCK + thread
    for k in range(ELEMENTS_PER_THREAD):
        i = first + k * THREADS
        if i < a.shape[0]:
            total += a[i] * b[i]
    partial[thread] = total
    cuda.syncthreads()

    active = THREADS >> 1
    while active > 0:
        if thread < active:
            partial[thread] += partial[thread + active]
        cuda.syncthreads()
        active >>= 1

    if thread == 0:
        cuda.atomic.add(out, 0, partial[0])


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(2)
    return {name: random.random(sizes["elements"], dtype=np.float32) for name in ("a", "b")}


def run_first(inputs: Arrays) -> Arrays:
    a = cuda.to_device(inputs["a"])
    b = cuda.to_device(inputs["b"])
    out = cuda.to_device(np.zeros(1, dtype=np.float32))
    blocks = a.shape[0] // THREADS_FIRST
    dot_product_first[blocks, THREADS_FIRST](a, b, out)
    return {"out": out.copy_to_host()}


def run_improved(inputs: Arrays) -> Arrays:
    a = cuda.to_device(inputs["a"])
    b = cuda.to_device(inputs["b"])
    out = cuda.to_device(np.zeros(1, dtype=np.float32))
    blocks = (a.shape[0] + ELEMENTS_PER_BLOCK - 1) // ELEMENTS_PER_BLOCK
    dot_product_improved[blocks, THREADS](a, b, out)
    return {"out": out.copy_to_host()}


def reference(inputs: Arrays) -> Arrays:
    return {"out": np.array([np.dot(inputs["a"].astype(np.float64), inputs["b"])])}


WORKLOAD = Workload(
    name="dot_product",
    full={"elements": 100_000},
    reduced={"elements": 1_100},
    build_inputs=make_inputs,
    first=dot_product_first,
    improved=dot_product_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=1e-4,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)
