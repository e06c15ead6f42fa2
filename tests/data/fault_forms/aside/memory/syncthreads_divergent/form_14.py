"""Block-local prefix of photon counts: the first warp scans while the rest prepares weights."""
import cupy as cp
import numpy as np
from numba import cuda, float32

TPB = 128
WARP = 32


@cuda.jit
def weighted_prefix(counts, weights, out):
    c = cuda.shared.array(TPB, float32)
    base = cuda.shared.array(TPB // WARP, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    c[t] = counts[i] * weights[i] if i < counts.size else float32(0.0)
    cuda.syncthreads()
    if t < TPB // WARP:
        s = float32(0.0)
        for k in range(WARP):
            s += c[t * WARP + k]
        base[t] = s
        cuda.syncthreads()  # fault: syncthreads_divergent
    else:
        cuda.syncthreads()  # fault: syncthreads_divergent
    total = float32(0.0)
    for w in range(t // WARP):
        total += base[w]
    for k in range((t // WARP) * WARP, t + 1):
        total += c[k]
    if i < out.size:
        out[i] = total


def prefix_by_block(counts, weights):
    out = cp.empty(counts.size, dtype=cp.float32)
    n_blocks = (counts.size + TPB - 1) // TPB
    weighted_prefix[n_blocks, TPB](counts, weights, out)
    return out


n = 16_000_000
events = cp.random.poisson(3.0, n).astype(cp.float32)
efficiency = cp.random.random(n, dtype=cp.float32)
result = prefix_by_block(events, efficiency)
print(np.asarray(result[:TPB].get())[-1], float((events[:TPB] * efficiency[:TPB]).sum()))
