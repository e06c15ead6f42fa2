# near: index_order_transposed
"""Semi-implicit relaxation of model fields that come from Fortran in column-major order."""
import numpy as np
from numba import cuda, float64


@cuda.jit((float64[::1, :], float64[::1, :], float64[::1, :], float64))
def nudge(state, target, out, rate):
    lon, lat = cuda.grid(2)
    if lon < state.shape[0] and lat < state.shape[1]:
        s = state[lon, lat]
        out[lon, lat] = s + rate * (target[lon, lat] - s)


def relax(state, target, rate):
    state = np.asfortranarray(state, dtype=np.float64)
    target = np.asfortranarray(target, dtype=np.float64)
    d_state = cuda.to_device(state)
    d_target = cuda.to_device(target)
    d_out = cuda.device_array(state.shape, dtype=np.float64, order="F")
    block = (32, 8)
    grid = ((state.shape[0] + 31) // 32, (state.shape[1] + 7) // 8)
    nudge[grid, block](d_state, d_target, d_out, rate)
    return d_out.copy_to_host()


if __name__ == "__main__":
    analysis = relax(np.load("background.npy"), np.load("reanalysis.npy"), 0.05)
    np.save("analysis.npy", analysis)
