# near: local_array_dynamic_index
import cupy as cp
from numba import cuda, int32

THREADS = 64
CLASSES = 16


@cuda.jit
def mode_filter(votes, winner):
    """Most frequent class of votes[tree, sample]; counters lie in shared memory, class by class."""
    counts = cuda.shared.array((CLASSES, THREADS), int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    for c in range(CLASSES):
        counts[c, t] = 0
    if i < votes.shape[1]:
        for tree in range(votes.shape[0]):
            counts[votes[tree, i], t] += 1
        best = 0
        for c in range(1, CLASSES):
            if counts[c, t] > counts[best, t]:
                best = c
        winner[i] = best


def majority(votes):
    winner = cp.empty(votes.shape[1], dtype=cp.int32)
    mode_filter[(votes.shape[1] + THREADS - 1) // THREADS, THREADS](votes, winner)
    return winner


if __name__ == "__main__":
    cp.save("landcover.npy", majority(cp.load("forest_votes.npy").astype(cp.int8)))
