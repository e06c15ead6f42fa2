"""Cosine similarity of each query with every reference."""
import math

import cupy as cp
from numba import cuda


@cuda.jit
def best_match(queries_t, refs, ref_norm, best):
    """queries_t: (dims, nq); refs: (nr, dims)."""
    q = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if q >= best.size:
        return
    dims = refs.shape[1]
    top = -2.0
    which = -1
    for r in range(refs.shape[0]):
        dot = 0.0
        norm = 0.0
        for k in range(dims):
            dot += queries_t[k, q] * refs[r, k]
            norm += queries_t[k, q] * queries_t[k, q]  # fault: loop_invariant_recompute
        s = dot / (math.sqrt(norm) * ref_norm[r])
        if s > top:
            top = s
            which = r
    best[q] = which


def match(queries, refs):
    best = cp.empty(len(queries), dtype=cp.int32)
    queries_t = cp.ascontiguousarray(queries.T)
    best_match[(len(queries) + 127) // 128, 128](queries_t, refs, cp.linalg.norm(refs, axis=1), best)
    return best


if __name__ == "__main__":
    print(match(cp.random.rand(200_000, 48), cp.random.rand(2000, 48))[:6])
