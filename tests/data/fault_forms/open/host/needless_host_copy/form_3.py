import numpy as np
from numba import cuda

# Photon arrival histogram for each of a series of exposures
exposures = np.random.default_rng(2).integers(0, 4_000_000, (50, 6_000_000)).astype(np.int32)
pixels = 4_000_000
d_counts = cuda.device_array(pixels, dtype=np.int32)
d_hits = cuda.device_array(exposures.shape[1], dtype=np.int32)


@cuda.jit
def count_hits(hits, counts):
    i = cuda.grid(1)
    if i < hits.size:
        cuda.atomic.add(counts, hits[i], 1)


for k, hits in enumerate(exposures):
    d_counts.copy_to_device(np.zeros(pixels, dtype=np.int32))  # fault: needless_host_copy
    d_hits.copy_to_device(hits)
    count_hits[(hits.size + 255) // 256, 256](d_hits, d_counts)
    np.save(f"exposure_{k}.npy", d_counts.copy_to_host())
