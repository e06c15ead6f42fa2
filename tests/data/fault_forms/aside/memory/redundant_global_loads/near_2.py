# near: redundant_global_loads
import math

import numpy as np
from numba import cuda, float64

TILE = 128


@cuda.jit
def coulomb_potential(x, y, z, q, phi):
    sx = cuda.shared.array(TILE, float64)
    sy = cuda.shared.array(TILE, float64)
    sz = cuda.shared.array(TILE, float64)
    sq = cuda.shared.array(TILE, float64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    n = x.size
    own = min(i, n - 1)
    xi = x[own]
    yi = y[own]
    zi = z[own]
    acc = 0.0
    for start in range(0, n, TILE):
        j = start + t
        if j < n:
            sx[t] = x[j]
            sy[t] = y[j]
            sz[t] = z[j]
            sq[t] = q[j]
        cuda.syncthreads()
        for k in range(min(TILE, n - start)):
            dx = xi - sx[k]
            dy = yi - sy[k]
            dz = zi - sz[k]
            r2 = dx * dx + dy * dy + dz * dz
            if r2 > 0.0:
                acc += sq[k] / math.sqrt(r2)
        cuda.syncthreads()
    if i < n:
        phi[i] = acc


def potential(pos, charge):
    x, y, z = (cuda.to_device(np.ascontiguousarray(pos[:, k], dtype=np.float64)) for k in range(3))
    d_q = cuda.to_device(np.asarray(charge, dtype=np.float64))
    d_phi = cuda.device_array(charge.size, dtype=np.float64)
    coulomb_potential[(charge.size + TILE - 1) // TILE, TILE](x, y, z, d_q, d_phi)
    return d_phi.copy_to_host()
