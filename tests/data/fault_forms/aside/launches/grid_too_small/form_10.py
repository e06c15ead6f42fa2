"""Time derivative of seismic traces, time along the first axis."""
import numpy as np
from numba import cuda

LAUNCH = {"griddim": (2, 1), "blockdim": (128, 1)}


@cuda.jit
def first_difference(traces, out):
    col, row = cuda.grid(2)
    dx, dy = cuda.gridsize(2)
    for r in range(row, traces.shape[0] - 1, dy):
        for c in range(col, traces.shape[1], dx):
            out[r, c] = traces[r + 1, c] - traces[r, c]


def differentiate(traces):
    grid = LAUNCH["griddim"]
    block = LAUNCH["blockdim"]
    d_in = cuda.to_device(traces)
    d_out = cuda.device_array((traces.shape[0] - 1, traces.shape[1]), dtype=traces.dtype)
    first_difference[grid, block](d_in, d_out)  # fault: grid_too_small
    return d_out.copy_to_host()


def load(path, n_traces):
    raw = np.fromfile(path, dtype=np.float32)
    return raw.reshape(-1, n_traces)


if __name__ == "__main__":
    import sys

    if len(sys.argv) > 1:
        section = load(sys.argv[1], 4096)
    else:
        section = np.random.default_rng(8).standard_normal((16384, 4096), dtype=np.float32)
    d = differentiate(section)
    print("rms of the derivative", np.sqrt(np.mean(d * d)))
