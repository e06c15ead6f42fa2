import timeit

import cupy as cp
from numba import cuda

# Which block size is best for the complex magnitude?
z = cp.random.standard_normal(40_000_000) + 1j * cp.random.standard_normal(40_000_000)
power = cp.empty(z.size)


@cuda.jit
def squared_magnitude(z, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < out.size:
        out[i] = z[i].real * z[i].real + z[i].imag * z[i].imag


squared_magnitude[(z.size + 127) // 128, 128](z, power)
cuda.synchronize()
for threads in (64, 128, 256, 512, 1024):
    blocks = (z.size + threads - 1) // threads
    launch = squared_magnitude[blocks, threads]
    seconds = timeit.timeit(lambda: launch(z, power), number=20) / 20  # fault: timing_without_sync
    print(threads, f"{1e3 * seconds:.3f} ms")
    cuda.synchronize()
