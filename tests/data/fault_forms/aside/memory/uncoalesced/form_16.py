import cupy as cp
from numba import cuda, float32

BLOCK = 256
ITEMS = 16


@cuda.jit
def block_sums(values, partial):
    """Each thread first folds ITEMS values in a register, then the block reduces."""
    cache = cuda.shared.array(BLOCK, float32)
    lane = cuda.threadIdx.x
    base = cuda.blockIdx.x * BLOCK * ITEMS + lane * ITEMS
    acc = float32(0.0)
    for item in range(ITEMS):
        pos = base + item
        if pos < values.size:
            acc += values[pos]  # fault: uncoalesced
    cache[lane] = acc
    cuda.syncthreads()
    width = BLOCK >> 1
    while width:
        if lane < width:
            cache[lane] += cache[lane + width]
        cuda.syncthreads()
        width >>= 1
    if lane == 0:
        partial[cuda.blockIdx.x] = cache[0]


def device_sum(values):
    per_block = BLOCK * ITEMS
    n_blocks = (values.size + per_block - 1) // per_block
    partial = cp.empty(n_blocks, dtype=cp.float32)
    block_sums[n_blocks, BLOCK](values, partial)
    return float(partial.sum())


x = cp.random.random(100_000_000, dtype=cp.float32)
print(device_sum(x), float(x.sum()))
