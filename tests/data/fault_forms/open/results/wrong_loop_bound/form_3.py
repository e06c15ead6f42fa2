import math

import numpy as np
from numba import cuda, float64

BLOCK = 128


@cuda.jit
def potential(tx, ty, sx, sy, charge, phi):
    """Potential at targets (tx, ty) of all sources (sx, sy); the count of sources is a multiple of BLOCK."""
    qx = cuda.shared.array(BLOCK, float64)
    qy = cuda.shared.array(BLOCK, float64)
    qc = cuda.shared.array(BLOCK, float64)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * BLOCK + t
    x = tx[i]
    y = ty[i]
    acc = 0.0
    for tile in range(cuda.gridDim.x):  # fault: wrong_loop_bound
        j = tile * BLOCK + t
        qx[t] = sx[j]
        qy[t] = sy[j]
        qc[t] = charge[j]
        cuda.syncthreads()
        for k in range(BLOCK):
            dx = qx[k] - x
            dy = qy[k] - y
            acc -= 0.5 * qc[k] * math.log(dx * dx + dy * dy + 1e-9)
        cuda.syncthreads()
    phi[i] = acc


class Panel:
    def __init__(self, sources, charge):
        assert len(charge) % BLOCK == 0
        self.sx, self.sy = (cuda.to_device(np.ascontiguousarray(c)) for c in sources.T)
        self.charge = cuda.to_device(charge)

    def evaluate(self, targets):
        assert len(targets) % BLOCK == 0
        tx, ty = (cuda.to_device(np.ascontiguousarray(c)) for c in targets.T)
        phi = cuda.device_array(len(targets), dtype=np.float64)
        potential[len(targets) // BLOCK, BLOCK](tx, ty, self.sx, self.sy, self.charge, phi)
        return phi.copy_to_host()


if __name__ == "__main__":
    panel = Panel(np.random.rand(131072, 2), np.random.rand(131072))
    print(panel.evaluate(np.random.rand(65536, 2))[:3])
