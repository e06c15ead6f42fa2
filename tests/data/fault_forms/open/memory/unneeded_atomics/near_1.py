# near: unneeded_atomics
import cupy as cp
from numba import cuda


@cuda.jit
def push_rank(src, dst, share, rank):
    """Every edge adds the share of its source to its target."""
    e = cuda.grid(1)
    if e < src.size:
        cuda.atomic.add(rank, dst[e], share[src[e]])


def propagate(src, dst, share):
    rank = cp.zeros(share.size, dtype=cp.float64)
    push_rank[(src.size + 255) // 256, 256](src, dst, share, rank)
    return rank


if __name__ == "__main__":
    edges = cp.load("citation_edges.npz")
    cp.save("inflow.npy", propagate(edges["src"], edges["dst"], edges["share"]))
