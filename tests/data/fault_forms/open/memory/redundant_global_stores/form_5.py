import numpy as np
from numba import cuda, float64, int32, void


@cuda.jit(void(float64[:, ::1], float64[::1], int32[::1]))
def best_lag(correlogram, score, lag):
    """correlogram[lag, window]: position and value of the largest entry of each window."""
    w = cuda.grid(1)
    if w >= correlogram.shape[1]:
        return
    best = -1.0e300
    for shift in range(correlogram.shape[0]):
        c = correlogram[shift, w]
        if c > best:
            best = c
            lag[w] = shift  # fault: redundant_global_stores
        score[w] = best  # fault: redundant_global_stores


corr = np.load("spike_correlograms.npy").astype(np.float64)
n_windows = corr.shape[1]
d_corr = cuda.to_device(np.ascontiguousarray(corr))
d_score = cuda.device_array(n_windows, dtype=np.float64)
d_lag = cuda.device_array(n_windows, dtype=np.int32)
best_lag[(n_windows + 127) // 128, 128](d_corr, d_score, d_lag)
np.savez("aligned.npz", score=d_score.copy_to_host(), lag=d_lag.copy_to_host())
