"""Remove the mean spectrum from each trace of a survey."""
import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def subtract(traces, mean, row):
    k = cuda.grid(1)
    if k < mean.size:
        traces[row, k] -= mean[k]


def main():
    traces = np.random.default_rng(0).normal(size=(50_000, 1500))
    d_traces = cuda.to_device(traces)
    d_mean = cuda.to_device(traces.mean(axis=0))
    blocks = (traces.shape[1] + THREADS - 1) // THREADS
    for row in range(traces.shape[0]):
        subtract[blocks, THREADS](d_traces, d_mean, row)  # fault: launch_in_loop
    np.save("traces.npy", d_traces.copy_to_host())


if __name__ == "__main__":
    main()
