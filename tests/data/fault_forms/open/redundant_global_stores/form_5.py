import numpy as np
from numba import cuda, float64, int32, void


@cuda.jit(void(float64[:, ::1], float64[::1], float64[::1], int32[::1]))
def best_lag(windows, pattern, score, lag):
    """windows[sample, window]; lag with the largest inner product with the pattern."""
    w = cuda.grid(1)
    if w >= windows.shape[1]:
        return
    best = -1.0e300
    for shift in range(windows.shape[0] - pattern.size + 1):
        acc = 0.0
        for k in range(pattern.size):
            acc += windows[shift + k, w] * pattern[k]
        if acc > best:
            best = acc
            lag[w] = shift  # fault: redundant_global_stores
        score[w] = best  # fault: redundant_global_stores


spikes = np.load("spike_windows.npy").astype(np.float64)
template = np.load("unit_template.npy").astype(np.float64)
d_windows = cuda.to_device(np.ascontiguousarray(spikes.T))
d_template = cuda.to_device(template)
d_score = cuda.device_array(spikes.shape[0], dtype=np.float64)
d_lag = cuda.device_array(spikes.shape[0], dtype=np.int32)
best_lag[(spikes.shape[0] + 127) // 128, 128](d_windows, d_template, d_score, d_lag)
np.savez("aligned.npz", score=d_score.copy_to_host(), lag=d_lag.copy_to_host())
