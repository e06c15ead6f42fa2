"""Quaternion normalisation for a large pose buffer (components first)."""
import math

import cupy as cp
from numba import cuda, float32


@cuda.jit
def normalize_quaternions(q):
    i = cuda.grid(1)
    if i < q.shape[1]:
        w, x, y, z = q[0, i], q[1, i], q[2, i], q[3, i]
        inv = float32(1.0) / math.sqrt(w * w + x * x + y * y + z * z)
        q[0, i] = w * inv
        q[1, i] = x * inv
        q[2, i] = y * inv
        q[3, i] = z * inv


def normalized(q):
    out = q.copy()
    normalize_quaternions.forall(out.shape[1], tpb=16)(out)  # fault: block_too_small
    return out


def random_poses(n, seed=0):
    rs = cp.random.RandomState(seed)
    return rs.standard_normal((4, n), dtype=cp.float32)


if __name__ == "__main__":
    poses = random_poses(12_000_000)
    unit = normalized(poses)
    print(float(cp.abs((unit * unit).sum(axis=0) - 1).max()))
