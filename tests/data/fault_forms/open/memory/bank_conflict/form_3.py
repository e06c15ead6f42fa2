"""Symbol counts per sequence window, one private counter row per thread."""
import numpy as np
from numba import cuda, int32

THREADS = 128
SYMBOLS = 32


@cuda.jit
def window_composition(seq, window, counts):
    priv = cuda.shared.array((THREADS, SYMBOLS), int32)
    t = cuda.threadIdx.x
    w = cuda.grid(1)
    n_windows = counts.shape[1]
    for a in range(SYMBOLS):
        priv[t, a] = 0  # fault: bank_conflict
    if w < n_windows:
        for k in range(window):
            priv[t, seq[w + k]] += 1  # fault: bank_conflict
        for a in range(SYMBOLS):
            counts[a, w] = priv[t, a]  # fault: bank_conflict


def composition(seq, window=64):
    """seq: protein as int8 codes below SYMBOLS."""
    n = seq.size - window + 1
    d_seq = cuda.to_device(np.ascontiguousarray(seq, dtype=np.int8))
    d_counts = cuda.device_array((SYMBOLS, n), dtype=np.int32)
    window_composition[(n + THREADS - 1) // THREADS, THREADS](d_seq, window, d_counts)
    return d_counts.copy_to_host()


if __name__ == "__main__":
    proteome = np.load("proteome_codes.npy")
    np.save("composition.npy", composition(proteome))
