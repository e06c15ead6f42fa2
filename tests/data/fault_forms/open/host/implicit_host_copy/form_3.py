import numpy as np
from numba import cuda

# Brightness temperature lookup over a set of satellite swaths
table = np.linspace(180.0, 330.0, 65536)
swaths = np.random.default_rng(2).integers(0, 65536, (40, 6_000_000), dtype=np.uint16)


@cuda.jit
def brightness(counts, table, kelvin):
    i = cuda.grid(1)
    if i < counts.size:
        kelvin[i] = table[counts[i]]


d_table = cuda.to_device(table)
d_kelvin = cuda.device_array(swaths.shape[1], dtype=np.float64)
kelvin = np.empty(swaths.shape)
for counts, row in zip(swaths, kelvin):
    brightness[(counts.size + 255) // 256, 256](counts, d_table, d_kelvin)  # fault: implicit_host_copy
    d_kelvin.copy_to_host(row)
np.save("kelvin.npy", kelvin)
