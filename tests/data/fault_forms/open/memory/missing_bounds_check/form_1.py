import numpy as np
from numba import cuda


@cuda.jit
def normalise(counts, exposure, rate):
    i = cuda.grid(1)
    rate[i] = counts[i] / exposure[i]  # fault: missing_bounds_check


def main():
    data = np.load("lightcurves.npz")
    counts = data["counts"].astype(np.float64).ravel()
    exposure = data["exposure"].astype(np.float64).ravel()
    d_counts = cuda.to_device(counts)
    d_exposure = cuda.to_device(exposure)
    d_rate = cuda.device_array_like(d_counts)
    threads_per_block = 256
    blocks = (counts.size + threads_per_block - 1) // threads_per_block
    normalise[blocks, threads_per_block](d_counts, d_exposure, d_rate)
    np.save("rates.npy", d_rate.copy_to_host())


if __name__ == "__main__":
    main()
