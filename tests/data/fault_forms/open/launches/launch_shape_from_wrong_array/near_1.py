# near: launch_shape_from_wrong_array
import numpy as np
from numba import cuda


@cuda.jit
def lookup(codes, table, value):
    i = cuda.grid(1)
    if i < value.size:
        value[i] = table[codes[i]]


def decode(codes, table):
    """Expand 8-bit codes through a calibration table."""
    d_codes = cuda.to_device(codes)
    d_table = cuda.to_device(table)
    d_value = cuda.device_array(codes.size, dtype=table.dtype)
    threads = 256
    blocks = (d_codes.size + threads - 1) // threads
    lookup[blocks, threads](d_codes, d_table, d_value)
    return d_value.copy_to_host()


if __name__ == "__main__":
    codes = np.random.default_rng(0).integers(0, 256, 60_000_000, dtype=np.uint8)
    print(decode(codes, np.linspace(-1.0, 1.0, 256)).mean())
