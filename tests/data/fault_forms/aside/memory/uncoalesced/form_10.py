"""Nearest neighbour search by brute force: one block per query, threads over the references."""
import cupy as cp
from numba import cuda, float32, int32

THREADS = 256


@cuda.jit
def nearest(queries, refs, best_dist, best_idx):
    sdist = cuda.shared.array(THREADS, float32)
    sidx = cuda.shared.array(THREADS, int32)
    q = cuda.blockIdx.x
    t = cuda.threadIdx.x
    dim = refs.shape[1]

    dmin = float32(3.0e38)
    imin = int32(-1)
    for r in range(t, refs.shape[0], THREADS):
        d = float32(0.0)
        for k in range(dim):
            diff = refs[r, k] - queries[q, k]  # fault: uncoalesced
            d += diff * diff
        if d < dmin:
            dmin = d
            imin = int32(r)
    sdist[t] = dmin
    sidx[t] = imin
    cuda.syncthreads()

    half = THREADS // 2
    while half > 0:
        if t < half and sdist[t + half] < sdist[t]:
            sdist[t] = sdist[t + half]
            sidx[t] = sidx[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        best_dist[q] = sdist[0]
        best_idx[q] = sidx[0]


def kneighbors(queries, refs):
    dist = cp.empty(len(queries), dtype=cp.float32)
    idx = cp.empty(len(queries), dtype=cp.int32)
    nearest[len(queries), THREADS](queries, refs, dist, idx)
    return cp.sqrt(dist), idx


if __name__ == "__main__":
    ref_set = cp.random.standard_normal((200_000, 128), dtype=cp.float32)
    query_set = cp.random.standard_normal((4096, 128), dtype=cp.float32)
    print(kneighbors(query_set, ref_set)[1][:10])
