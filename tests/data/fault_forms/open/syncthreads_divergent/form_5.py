import math

import numpy as np
from numba import cuda, float64

TPB = 128


@cuda.jit
def kepler_batch(mean_anomaly, ecc, eccentric, residual):
    err = cuda.shared.array(TPB, float64)
    i = cuda.grid(1)
    tx = cuda.threadIdx.x
    active = i < mean_anomaly.size
    m = 0.0
    e = 0.0
    if active:
        m = mean_anomaly[i]
        e = ecc[i]
    E = m
    err[tx] = 0.0
    for _ in range(60):
        f = E - e * math.sin(E) - m
        E -= f / (1.0 - e * math.cos(E))
        err[tx] = abs(f)
        if abs(f) < 1e-13:
            break
        cuda.syncthreads()  # fault: syncthreads_divergent
    if active:
        eccentric[i] = E
    cuda.syncthreads()
    if tx == 0:
        worst = 0.0
        for k in range(TPB):
            worst = max(worst, err[k])
        residual[cuda.blockIdx.x] = worst


orbits = np.load("asteroid_orbits.npz")
M = cuda.to_device(orbits["mean_anomaly"].astype(np.float64))
ecc = cuda.to_device(orbits["eccentricity"].astype(np.float64))
n_blocks = (M.size + TPB - 1) // TPB
E = cuda.device_array(M.size, dtype=np.float64)
res = cuda.device_array(n_blocks, dtype=np.float64)
kepler_batch[n_blocks, TPB](M, ecc, E, res)
print("largest residual", res.copy_to_host().max())
np.save("eccentric_anomaly.npy", E.copy_to_host())
