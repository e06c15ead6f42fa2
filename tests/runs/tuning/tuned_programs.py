"""Kernels with workloads that tests tune; `conftest.Project` writes the imports above them."""

# 64 steps of arithmetic for each element: what idle lanes of a warp cost is felt.
GUARDED = """\
THREADS = 100


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    if i < x.size:
        total = x[i]
        for _ in range(64):
            total = total * x[i] + x[i]
        out[i] = total


def workload():
    x = cuda.to_device(np.arange(100_000, dtype=np.float32))
    out = cuda.device_array_like(x)
    kernel[(x.size + THREADS - 1) // THREADS, THREADS](x, out)
"""

# Each thread stages one element of `a` and of `b`: the tile must be as wide as the block.
MATRIX = """\
TILE = 4


@cuda.jit
def kernel(a, b, out):
    a_tile = cuda.shared.array((TILE, TILE), np.float32)
    b_tile = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0.0)
    for start in range(0, a.shape[1], TILE):
        a_tile[y, x] = a[row, start + x]
        b_tile[y, x] = b[start + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()
    out[row, column] = total


def workload():
    random = np.random.default_rng(1)
    a, b = (cuda.to_device(random.random((64, 64), dtype=np.float32)) for _ in range(2))
    kernel[(64 // TILE, 64 // TILE), (TILE, TILE)](a, b, cuda.device_array((64, 64), np.float32))
"""

# The sum of each block is what it is because of the block.
SUMS = """\
THREADS = 32


@cuda.jit
def kernel(x, sums):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(sums, cuda.blockIdx.x, x[i])


def workload():
    x = cuda.to_device(np.ones(4096, np.int32))
    kernel[(x.size + THREADS - 1) // THREADS, THREADS](x, cuda.to_device(np.zeros(128, np.int32)))
"""

# What a block adds up first depends on the block; in floats the sum of all does so in its last bits.
SERIAL_SUMS = """\
THREADS = 32


@cuda.jit
def kernel(x, out):
    if cuda.threadIdx.x == 0:
        total = np.float32(0.0)
        for i in range(cuda.grid(1), cuda.grid(1) + cuda.blockDim.x):
            total += x[i]
        cuda.atomic.add(out, 0, total)


def workload():
    x = cuda.to_device(np.random.default_rng(3).random(4096, dtype=np.float32))
    kernel[(x.size + THREADS - 1) // THREADS, THREADS](x, cuda.to_device(np.zeros(1, np.float32)))
"""

# What it takes comes from the updates of one element.
ATOMICS = """\
THREADS = 128


@cuda.jit
def kernel(x, total):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])


def workload():
    x = cuda.to_device(np.ones(20_000, dtype=np.float32))
    kernel[(x.size + THREADS - 1) // THREADS, THREADS](x, cuda.to_device(np.zeros(1, np.float32)))
"""
