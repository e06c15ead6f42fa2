import math

import numpy as np
from numba import cuda

from_cfg = {"window": 200, "threads": (128, 1), "channels": 128}


@cuda.jit
def line_length(eeg, window, feature):
    """Line length of each non-overlapping window, per channel."""
    w = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    ch = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if w < feature.shape[1] and ch < feature.shape[0]:
        start = w * window
        total = np.float32(0.0)
        prev = eeg[ch, start]
        for s in range(start + 1, start + window):
            cur = eeg[ch, s]  # fault: uncoalesced
            total += abs(cur - prev)
            prev = cur
        feature[ch, w] = total


def extract(eeg, cfg=from_cfg):
    window = cfg["window"]
    channels, samples = eeg.shape
    n_windows = samples // window
    threads = cfg["threads"]
    grid = (math.ceil(n_windows / threads[0]), math.ceil(channels / threads[1]))
    d_eeg = cuda.to_device(eeg)
    d_feature = cuda.device_array((channels, n_windows), dtype=np.float32)
    line_length[grid, threads](d_eeg, window, d_feature)
    return d_feature.copy_to_host()


if __name__ == "__main__":
    signal = np.random.default_rng(1).standard_normal((from_cfg["channels"], 2_000_000), dtype=np.float32)
    print(extract(signal).shape)
