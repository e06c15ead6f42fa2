import numpy as np
from numba import cuda, float64

NVAR = 24


@cuda.jit
def permute_solve(lu, perm, rhs, sol):
    """Forward and back substitution of one right-hand side per thread with a common LU."""
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for s in range(start, rhs.shape[1], stride):
        y = cuda.local.array(NVAR, float64)
        for r in range(lu.shape[0]):
            acc = rhs[perm[r], s]
            for c in range(r):
                acc -= lu[r, c] * y[c]  # fault: local_array_dynamic_index
            y[r] = acc
        for q in range(lu.shape[0]):
            r = lu.shape[0] - 1 - q
            acc = y[r]
            for c in range(r + 1, lu.shape[0]):
                acc -= lu[r, c] * y[c]  # fault: local_array_dynamic_index
            acc /= lu[r, r]
            y[r] = acc
            sol[r, s] = acc


class ChemistrySolver:
    blocks = 1056
    threads = 128

    def __init__(self, lu, perm):
        assert lu.shape[0] <= NVAR
        self.lu = cuda.to_device(np.ascontiguousarray(lu, dtype=np.float64))
        self.perm = cuda.to_device(np.asarray(perm, dtype=np.int32))

    def solve(self, rhs):
        d_rhs = cuda.to_device(np.ascontiguousarray(rhs, dtype=np.float64))
        d_sol = cuda.device_array_like(d_rhs)
        permute_solve[self.blocks, self.threads](self.lu, self.perm, d_rhs, d_sol)
        return d_sol.copy_to_host()


if __name__ == "__main__":
    chem = np.load("newton_matrix.npz")
    np.save("update.npy", ChemistrySolver(chem["lu"], chem["perm"]).solve(chem["rhs"]))
