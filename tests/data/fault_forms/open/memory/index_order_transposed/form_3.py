import numpy as np
from numba import cuda

MU_WATER = 0.0195


@cuda.jit
def hounsfield_to_mu(ct, mu, slope, intercept):
    """CT numbers (slice, row, column) to linear attenuation coefficients."""
    s, r, c = cuda.grid(3)
    if s < ct.shape[0] and r < ct.shape[1] and c < ct.shape[2]:
        hu = slope * ct[s, r, c] + intercept  # fault: index_order_transposed
        v = MU_WATER * (1.0 + hu / 1000.0)
        if v < 0.0:
            v = 0.0
        mu[s, r, c] = v  # fault: index_order_transposed


def convert(volume, slope=1.0, intercept=-1024.0):
    volume = np.ascontiguousarray(volume, dtype=np.float64)
    d_ct = cuda.to_device(volume)
    d_mu = cuda.device_array(volume.shape, dtype=np.float64)
    tpb = (32, 4, 2)
    bpg = tuple((n + t - 1) // t for n, t in zip(volume.shape, tpb))
    hounsfield_to_mu[bpg, tpb](d_ct, d_mu, slope, intercept)
    return d_mu


if __name__ == "__main__":
    vol = np.load("thorax_512x512x512.npy")
    mu = convert(vol)
    np.save("thorax_mu.npy", mu.copy_to_host())
