import numpy as np
from numba import cuda, int32

WORDS = 8


@cuda.jit(device=True)
def tanimoto(a, b, row):
    both = int32(0)
    either = int32(0)
    for w in range(WORDS):
        both += cuda.popc(a[w] & b[w, row])
        either += cuda.popc(a[w] | b[w, row])
    return both / max(either, 1)


@cuda.jit
def similarity(query, library, score):
    row = cuda.grid(1)
    if row < score.size:
        score[row] = tanimoto(query, library, row)


def best_matches(queries, library):
    """Index of the closest library molecule for each query fingerprint."""
    n = library.shape[1]
    d_library = cuda.to_device(library)
    d_queries = cuda.to_device(queries)
    d_score = cuda.device_array(n, dtype=np.float64)
    best = np.empty(len(queries), dtype=np.int64)
    for q in range(len(queries)):
        similarity[(n + 127) // 128, 128](d_queries[q], d_library, d_score)
        scores = d_score.copy_to_host()  # fault: oversized_transfer
        best[q] = scores.argmax()
    return best


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    library = rng.integers(0, 2**32, (WORDS, 10_000_000), dtype=np.uint32)
    queries = np.ascontiguousarray(library[:, :200].T)
    print(best_matches(queries, library)[:10])
