import math

import numpy as np
from numba import cuda


@cuda.jit
def resample_rational(x, h, y, up, down):
    """Rational resampling by up/down with prototype filter h (length a multiple of `up`)."""
    n = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if n >= y.size:
        return
    pos = n * down
    acc = 0.0
    for k in range(h.size):
        if (pos - k) % up == 0:  # fault: int_divmod_hot
            src = (pos - k) // up  # fault: int_divmod_hot
            if 0 <= src < x.size:
                acc += h[k] * x[src]
    y[n] = acc


def resample(x, h, up, down):
    out_len = x.size * up // down
    d_y = cuda.device_array(out_len, dtype=np.float64)
    resample_rational[math.ceil(out_len / 256), 256](cuda.to_device(x), cuda.to_device(h), d_y, up, down)
    return d_y.copy_to_host()


def main():
    up, down = 160, 147
    h = np.hanning(up * 16)
    print(resample(np.random.rand(441_000 * 4), h, up, down)[:4])


if __name__ == "__main__":
    main()
