import math

import numpy as np
from numba import cuda, float64


@cuda.jit
def three_nearest(qx, qy, px, py, mean_d):
    """Mean distance to the three nearest reference points."""
    i = cuda.grid(1)
    if i < qx.size:
        best = cuda.local.array(3, float64)
        x = qx[i]
        y = qy[i]
        for j in range(px.size):
            dx = px[j] - x
            dy = py[j] - y
            d2 = dx * dx + dy * dy
            if d2 < best[2]:  # fault: uninitialized_local
                if d2 < best[0]:
                    best[2] = best[1]
                    best[1] = best[0]
                    best[0] = d2
                elif d2 < best[1]:
                    best[2] = best[1]
                    best[1] = d2
                else:
                    best[2] = d2
        mean_d[i] = (math.sqrt(best[0]) + math.sqrt(best[1]) + math.sqrt(best[2])) / 3.0


def cloud_spacing(query, reference):
    q = [cuda.to_device(np.ascontiguousarray(query[:, k], dtype=np.float64)) for k in range(2)]
    p = [cuda.to_device(np.ascontiguousarray(reference[:, k], dtype=np.float64)) for k in range(2)]
    d_mean = cuda.device_array(query.shape[0], dtype=np.float64)
    three_nearest[(query.shape[0] + 127) // 128, 128](*q, *p, d_mean)
    return d_mean.copy_to_host()


query = np.load("trees_2022.npy")
reference = np.load("trees_2012.npy")
np.save("spacing.npy", cloud_spacing(query, reference))
