import numpy as np
from numba import cuda, float64

TPB = 256


@cuda.jit
def sum_of_squares(residual, partial):
    s = cuda.shared.array(TPB, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < residual.size:
        s[t] = residual[i] * residual[i]
    cuda.syncthreads()
    half = TPB // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]  # fault: uninitialised_memory
        cuda.syncthreads()
        half //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = s[0]


def chi_square(observed, model, sigma):
    residual = ((observed - model) / sigma).astype(np.float64).ravel()
    blocks = -(-residual.size // TPB)
    d_res = cuda.to_device(residual)
    d_partial = cuda.device_array(blocks, dtype=np.float64)
    sum_of_squares[blocks, TPB](d_res, d_partial)
    return d_partial.copy_to_host().sum() / (residual.size - 3)


fit = np.load("beam_profile_fit.npz")
print("reduced chi-square:", chi_square(fit["observed"], fit["model"], fit["sigma"]))
