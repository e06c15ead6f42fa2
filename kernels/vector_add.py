"""Vector addition, 100,000 elements: out = a + b.

The first version divides the work as one would for a few CPU cores: each thread adds a run of ten
consecutive elements. Neighbouring lanes of a warp then read addresses 40 bytes apart, so that a warp's
load touches 32 sectors instead of 4; ten elements a thread also leave only 40 blocks for the whole GPU.
It passes NumPy arrays to the launch, so that each launch copies all three to the device and back.

The improved version gives each thread one element. Neighbouring lanes use neighbouring addresses, the
grid has 391 blocks, and the arrays are copied to the device once.
"""

import numpy as np
from numba import cuda

from kernels.workload import Arrays, Sizes, Workload

THREADS = 256
RUN_LENGTH = 10
ELEMENTS_PER_BLOCK = THREADS * RUN_LENGTH


@cuda.jit
def vector_add_first(a, b, out):
    start = cuda.grid(1) * RUN_LENGTH
    for i in range(start, start + RUN_LENGTH):
        if i < out.shape[0]:
            out[i] = a[i] + b[i]


@cuda.jit
def vector_add_improved(a, b, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[i] + b[i]


def make_inputs(sizes: Sizes) -> Arrays:
    random = np.random.default_rng(1)
    return {name: random.standard_normal(sizes["elements"], dtype=np.float32) for name in ("a", "b")}


def run_first(inputs: Arrays) -> Arrays:
    n = inputs["a"].shape[0]
    out = np.zeros(n, dtype=np.float32)
    blocks = (n + ELEMENTS_PER_BLOCK - 1) // ELEMENTS_PER_BLOCK
    vector_add_first[blocks, THREADS](inputs["a"], inputs["b"], out)
    return {"out": out}


def run_improved(inputs: Arrays) -> Arrays:
    n = inputs["a"].shape[0]
    a = cuda.to_device(inputs["a"])
    b = cuda.to_device(inputs["b"])
    out = cuda.device_array(n, dtype=np.float32)
    blocks = (n + THREADS - 1) // THREADS
    vector_add_improved[blocks, THREADS](a, b, out)
    return {"out": out.copy_to_host()}


def reference(inputs: Arrays) -> Arrays:
    return {"out": inputs["a"].astype(np.float64) + inputs["b"]}


WORKLOAD = Workload(
    name="vector_add",
    full={"elements": 100_000},
    reduced={"elements": 1_003},
    build_inputs=make_inputs,
    first=vector_add_first,
    improved=vector_add_improved,
    run_first=run_first,
    run_improved=run_improved,
    reference=reference,
    tolerance=1e-6,
)


def workload():
    inputs = WORKLOAD.make_inputs()
    WORKLOAD.run_first(inputs)
    WORKLOAD.run_improved(inputs)
