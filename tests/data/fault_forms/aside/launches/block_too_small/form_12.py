"""Zero-mean windows of a sensor recording, a block per window."""
import numpy as np
from numba import cuda, float32

WORKERS = 16


@cuda.jit
def remove_mean(windows):
    part = cuda.shared.array(WORKERS, float32)
    w = cuda.blockIdx.x
    t = cuda.threadIdx.x
    n = windows.shape[1]
    acc = float32(0.0)
    for k in range(t, n, WORKERS):
        acc += windows[w, k]
    part[t] = acc
    cuda.syncthreads()
    s = WORKERS // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    mean = part[0] / float32(n)
    for k in range(t, n, WORKERS):
        windows[w, k] -= mean


def center(recording, window):
    usable = recording.size // window * window
    d_windows = cuda.to_device(recording[:usable].reshape(-1, window))
    remove_mean[d_windows.shape[0], WORKERS](d_windows)  # fault: block_too_small
    return d_windows.copy_to_host()


if __name__ == "__main__":
    rec = np.random.default_rng(0).standard_normal(60_000_000, dtype=np.float32) + np.float32(2.0)
    out = center(rec, 4096)
    print(out.shape, np.abs(out.mean(axis=1)).max())
