import numpy as np
from numba import cuda, float64, void


@cuda.jit(void(float64[::1], float64[::1], float64))
def sample_spline(knots, out, step):
    i = cuda.grid(1)
    if i < out.shape[0]:
        u = i * step
        k = min(int(u), knots.shape[0] - 2)
        f = u - k
        f = f * f * (3.0 - f - f)
        out[i] = knots[k] + f * (knots[k + 1] - knots[k])


def interpolate(knots, samples):
    d_knots = cuda.to_device(knots)
    d_out = cuda.device_array(samples, dtype=np.float64)
    step = (knots.shape[0] - 1) / samples
    max_blocks = cuda.get_current_device().MAX_GRID_DIM_X
    blocks = min(max_blocks, 2_000_000)
    sample_spline[blocks, 1024](d_knots, d_out, step)  # fault: oversubscribed_grid
    return d_out.copy_to_host()


if __name__ == "__main__":
    knots = np.random.default_rng(4).random(50_000)
    print(interpolate(knots, 10_000_000).mean())
