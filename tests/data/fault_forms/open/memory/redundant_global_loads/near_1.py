# near: redundant_global_loads
import cupy as cp
from numba import cuda


@cuda.jit
def leaky_integrate(v, spikes, drive, decay, threshold, n_steps):
    i = cuda.grid(1)
    if i < v.size:
        u = v[i]
        current = drive[i]
        count = 0
        for _ in range(n_steps):
            u = decay * u + current
            if u >= threshold:
                u = 0.0
                count += 1
        v[i] = u
        spikes[i] = count


def firing_rates(drive, n_steps=10_000):
    v = cp.zeros(drive.size, dtype=cp.float64)
    spikes = cp.empty(drive.size, dtype=cp.int32)
    leaky_integrate[(drive.size + 255) // 256, 256](v, spikes, drive, 0.98, 1.0, n_steps)
    return spikes / n_steps


if __name__ == "__main__":
    cp.save("rates.npy", firing_rates(cp.linspace(0.0, 0.2, 1_000_000)))
