import cupy as cp
from numba import cuda, float64

TPB = 128


@cuda.jit(device=True)
def push_max(store, slot, value):
    cuda.atomic.max(store, slot, value)  # fault: unneeded_atomics


@cuda.jit
def block_peaks(signal, peaks):
    lane_peak = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    lane_peak[t] = 0.0
    for i in range(cuda.grid(1), signal.size, cuda.gridsize(1)):
        push_max(lane_peak, t, abs(signal[i]))  # fault: unneeded_atomics
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if t < half:
            lane_peak[t] = max(lane_peak[t], lane_peak[t + half])
        cuda.syncthreads()
        half //= 2
    if t == 0:
        peaks[cuda.blockIdx.x] = lane_peak[0]


def normalise(signal, blocks=1056):
    peaks = cp.empty(blocks, dtype=cp.float64)
    block_peaks[blocks, TPB](signal, peaks)
    return signal / peaks.max()


if __name__ == "__main__":
    strain = cp.load("strain_4096hz.npy").astype(cp.float64)
    cp.save("strain_normalised.npy", normalise(strain))
