"""Fluorescence decay: reconvolve two components and compare with the data."""
import math

import cupy as cp
from numba import cuda


@cuda.jit(device=True, inline=True)
def two_component(t, fraction, tau_fast, tau_slow):
    return fraction * math.exp(-t / tau_fast) + (1.0 - fraction) * math.exp(-t / tau_slow)


@cuda.jit
def weighted_residuals(model_t, counts, variance, fraction, tau_fast, tau_slow, residuals):
    stride = cuda.gridsize(1)
    for i in range(cuda.grid(1), residuals.size, stride):
        model = two_component(model_t[i], fraction, tau_fast, tau_slow)
        residuals[i] = (counts[i] - model) / math.sqrt(variance[i])


def chi_square(t, counts, variance, fraction, tau_fast, tau_slow):
    residuals = cp.empty_like(t)
    weighted_residuals[1024, 256](
        t, variance, counts, fraction, tau_fast, tau_slow, residuals  # fault: swapped_arguments
    )
    return float(residuals @ residuals) / (t.size - 3)


if __name__ == "__main__":
    t = cp.linspace(0.0, 50.0, 8_000_000)
    counts = 0.3 * cp.exp(-t / 0.9) + 0.7 * cp.exp(-t / 4.1)
    print(chi_square(t, counts, counts + 1e-3, 0.3, 0.9, 4.1))
