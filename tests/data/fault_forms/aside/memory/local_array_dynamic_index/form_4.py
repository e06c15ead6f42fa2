"""Levenshtein distance of many barcodes against one adapter."""
import numpy as np
from numba import cuda, int32

MAXLEN = 40
CELLS = MAXLEN + 1


@cuda.jit
def edit_distance(codes, lengths, adapter, dist):
    i = cuda.grid(1)
    if i < lengths.size:
        row = cuda.local.array(CELLS, int32)
        m = adapter.size
        for j in range(m + 1):
            row[j] = j
        for k in range(lengths[i]):
            ch = codes[k, i]
            diag = row[0]
            row[0] = k + 1
            for j in range(1, m + 1):
                up = row[j]  # fault: local_array_dynamic_index
                cost = 1
                if adapter[j - 1] == ch:
                    cost = 0
                row[j] = min(min(up, row[j - 1]) + 1, diag + cost)  # fault: local_array_dynamic_index
                diag = up
        dist[i] = row[m]


def distances(barcodes, lengths, adapter):
    if adapter.size > MAXLEN:
        raise ValueError("adapter longer than %d" % MAXLEN)
    d_codes = cuda.to_device(np.ascontiguousarray(barcodes.T, dtype=np.uint8))
    d_len = cuda.to_device(lengths.astype(np.int32))
    d_adapter = cuda.to_device(adapter.astype(np.uint8))
    d_dist = cuda.device_array(lengths.size, dtype=np.int32)
    edit_distance[(lengths.size + 127) // 128, 128](d_codes, d_len, d_adapter, d_dist)
    return d_dist.copy_to_host()


if __name__ == "__main__":
    run = np.load("barcodes.npz")
    np.save("distance.npy", distances(run["codes"], run["length"], run["adapter"]))
