"""Look-ups in an open-addressing k-mer table."""
import numpy as np
from numba import cuda

EMPTY = -1


@cuda.jit(device=True)
def find_slot(table_keys, key, capacity):
    slot = (key * 2654435761) % capacity  # fault: int_divmod_hot
    for probe in range(64):
        k = table_keys[slot]
        if k == key or k == EMPTY:
            return slot
        slot = (slot + probe + 1) % capacity  # fault: int_divmod_hot
    return slot


@cuda.jit
def count_of(queries, table_keys, table_counts, counts):
    stride = cuda.gridsize(1)
    for q in range(cuda.grid(1), queries.size, stride):
        slot = find_slot(table_keys, queries[q], table_keys.size)
        counts[q] = table_counts[slot] if table_keys[slot] == queries[q] else 0


def lookup(queries, keys, counts):
    d_found = cuda.device_array(queries.size, dtype=np.int32)
    arrays = [cuda.to_device(a) for a in (queries, keys, counts)]
    count_of[1024, 256](*arrays, d_found)
    return d_found.copy_to_host()


if __name__ == "__main__":
    capacity = 40_000_003
    keys = np.full(capacity, EMPTY, dtype=np.int64)
    some = np.arange(0, 20_000_000, 2, dtype=np.int64)
    keys[(some * 2654435761) % capacity] = some
    print(lookup(np.random.randint(0, 20_000_000, 10_000_000), keys, np.ones(capacity, np.int32)).mean())
