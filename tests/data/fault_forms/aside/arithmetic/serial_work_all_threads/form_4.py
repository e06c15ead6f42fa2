"""Exclusive prefix positions for stream compaction."""
import numpy as np
from numba import cuda


@cuda.jit
def compact(values, keep, packed):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < values.size and keep[i] == 1:
        position = 0
        for k in range(i):  # fault: serial_work_all_threads
            position += keep[k]
        packed[position] = values[i]


def select(values, keep):
    """Values whose flag is 1, in their order."""
    count = int(keep.sum())
    d_packed = cuda.device_array(count, dtype=values.dtype)
    threads = 256
    blocks = (values.size + threads - 1) // threads
    compact[blocks, threads](cuda.to_device(values), cuda.to_device(keep), d_packed)
    return d_packed.copy_to_host()


if __name__ == "__main__":
    v = np.random.rand(500_000)
    print(select(v, (v > 0.7).astype(np.int32)).size)
