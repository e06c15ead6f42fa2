import cupy as cp
from numba import cuda, float32, void

ROWS = 64
WIDTH = 64


@cuda.jit(void(float32[:, ::1], float32[::1]))
def row_peak(spectra, peak):
    """Each block stages ROWS spectra of WIDTH channels; each thread scans one of them."""
    stage = cuda.shared.array((ROWS, WIDTH), float32)
    t = cuda.threadIdx.x
    base = cuda.blockIdx.x * ROWS
    for r in range(ROWS):
        if base + r < spectra.shape[0]:
            stage[r, t] = spectra[base + r, t]
    cuda.syncthreads()
    if base + t < spectra.shape[0]:
        best = stage[t, 0]
        for c in range(1, WIDTH):
            best = max(best, stage[t, c])  # fault: bank_conflict
        peak[base + t] = best


spectra = cp.load("hyperspectral_64ch.npy").astype(cp.float32)
spectra = cp.ascontiguousarray(spectra.reshape(-1, WIDTH))
peak = cp.empty(spectra.shape[0], dtype=cp.float32)
row_peak[(spectra.shape[0] + ROWS - 1) // ROWS, WIDTH](spectra, peak)
cp.save("peak_radiance.npy", peak)
