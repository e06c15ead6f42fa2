"""Baseline removal for digitised radar pulses."""
import cupy as cp
from numba import cuda


@cuda.jit
def remove_baseline(raw, pedestal, gain, clean, offset):
    sample, pulse = cuda.grid(2)
    if pulse < raw.shape[0] and sample < raw.shape[1]:
        off = pedestal[pulse] * gain
        offset[pulse] = off  # fault: redundant_global_stores
        clean[pulse, sample] = raw[pulse, sample] - off


class BaselineCorrector:
    block = (64, 4)

    def __init__(self, gain):
        self.gain = gain

    def __call__(self, raw, pedestal):
        clean = cp.empty_like(raw)
        offset = cp.empty(raw.shape[0], dtype=cp.float64)
        grid = (-(-raw.shape[1] // self.block[0]), -(-raw.shape[0] // self.block[1]))
        remove_baseline[grid, self.block](raw, pedestal, self.gain, clean, offset)
        return clean, offset


if __name__ == "__main__":
    pulses = cp.load("pulses_20000x4096.npy").astype(cp.float64)
    clean, offset = BaselineCorrector(1.02)(pulses, pulses[:, :64].mean(axis=1))
    cp.savez("pulses_clean.npz", clean=clean, offset=offset)
