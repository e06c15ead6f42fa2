import time

import numpy as np
from numba import cuda

# Same kernel for single and double precision
n = 50_000_000
rng = np.random.default_rng(2)


@cuda.jit
def triad(a, b, c, s):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < a.size:
        a[i] = b[i] + s * c[i]


blocks = (n + 255) // 256
for dtype in (np.float32, np.float64):
    b = cuda.to_device(rng.random(n, dtype=dtype))
    c = cuda.to_device(rng.random(n, dtype=dtype))
    a = cuda.device_array(n, dtype=dtype)
    cuda.synchronize()
    t0 = time.perf_counter()
    triad[blocks, 256](a, b, c, dtype(3.0))  # fault: timing_includes_compile
    cuda.synchronize()
    seconds = time.perf_counter() - t0
    print(np.dtype(dtype).name, f"{3 * a.nbytes / seconds / 1e9:.0f} GB/s")
