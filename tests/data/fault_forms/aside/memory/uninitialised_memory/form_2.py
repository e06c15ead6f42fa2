"""Intensity histogram of 8-bit volumes with block-private bins."""
import cupy as cp
from numba import cuda, int32

BINS = 256
THREADS = 256


@cuda.jit
def volume_histogram(vol, hist):
    bins = cuda.shared.array(BINS, int32)  # fault: uninitialised_memory
    t = cuda.threadIdx.x
    for i in range(cuda.grid(1), vol.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, vol[i], 1)  # fault: uninitialised_memory
    cuda.syncthreads()
    if bins[t] > 0:
        cuda.atomic.add(hist, t, bins[t])


def otsu(vol):
    flat = cp.ascontiguousarray(vol, dtype=cp.uint8).ravel()
    hist = cp.zeros(BINS, dtype=cp.int32)
    volume_histogram[1056, THREADS](flat, hist)
    p = hist / flat.size
    omega = cp.cumsum(p)
    mu = cp.cumsum(p * cp.arange(BINS))
    between = (mu[-1] * omega - mu) ** 2 / cp.maximum(omega * (1.0 - omega), 1e-12)
    return int(cp.argmax(between))


if __name__ == "__main__":
    ct = cp.load("bone_ct_u8.npy")
    print("threshold:", otsu(ct))
