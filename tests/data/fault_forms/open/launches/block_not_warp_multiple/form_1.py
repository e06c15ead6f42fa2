"""Discounted cash flows for a book of bonds."""
import numpy as np
from numba import cuda

THREADS = 100


@cuda.jit
def present_value(coupon, face, rate, periods, value):
    i = cuda.grid(1)
    if i < value.size:
        q = 1.0 / (1.0 + rate[i])
        factor = 1.0
        acc = 0.0
        for _ in range(periods):
            factor *= q
            acc += coupon[i] * factor
        value[i] = acc + face[i] * factor


def main():
    n = 5_000_000
    rng = np.random.default_rng(0)
    coupon = cuda.to_device(rng.uniform(1.0, 6.0, n))
    face = cuda.to_device(np.full(n, 100.0))
    rate = cuda.to_device(rng.uniform(0.01, 0.06, n))
    value = cuda.device_array(n, dtype=np.float64)
    blocks = (n + THREADS - 1) // THREADS
    present_value[blocks, THREADS](coupon, face, rate, 40, value)  # fault: block_not_warp_multiple
    np.save("value.npy", value.copy_to_host())


if __name__ == "__main__":
    main()
