import numpy as np
from numba import cuda


@cuda.jit("void(int32[::1], int32[::1], float64[::1], float64[::1])")
def neighbour_mean(offsets, neighbours, feature, mean):
    v = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if v < mean.size:
        first = offsets[v]
        last = offsets[v + 1]
        s = 0.0
        for e in range(first, last):
            s += feature[neighbours[e]]
        mean[v] = s / max(last - first, 1)


n_vertices = 1_000_000
degree = np.random.poisson(6, n_vertices)
row_start = np.concatenate(([0], np.cumsum(degree))).astype(np.int32)
targets = np.random.randint(0, n_vertices, row_start[-1]).astype(np.int32)
d_row_start = cuda.to_device(row_start)
d_targets = cuda.to_device(targets)
d_feature = cuda.to_device(np.random.rand(n_vertices))
d_mean = cuda.device_array(n_vertices, dtype=np.float64)
blocks = (n_vertices + 127) // 128
neighbour_mean[blocks, 128](d_targets, d_row_start, d_feature, d_mean)  # fault: swapped_arguments
print(d_mean.copy_to_host()[:5])
