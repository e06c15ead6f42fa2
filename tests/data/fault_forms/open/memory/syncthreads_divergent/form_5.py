import numpy as np
from numba import cuda, float64

POINTS = 128


@cuda.jit
def smooth_strands(strands, smoothed, stiffness, tol):
    """One block per strand, one thread per control point; both ends stay fixed."""
    s = cuda.shared.array(POINTS, float64)
    strand = cuda.blockIdx.x
    p = cuda.threadIdx.x
    s[p] = strands[strand, p]
    cuda.syncthreads()
    left = max(p - 1, 0)
    right = min(p + 1, POINTS - 1)
    fixed = p == 0 or p == POINTS - 1
    for _ in range(200):
        move = 0.0
        if not fixed:
            move = stiffness * (0.5 * (s[left] + s[right]) - s[p])
        if abs(move) < tol:
            break
        cuda.syncthreads()  # fault: syncthreads_divergent
        s[p] += move
        cuda.syncthreads()  # fault: syncthreads_divergent
    smoothed[strand, p] = s[p]


curvature = np.load("fibre_curvature.npy").astype(np.float64)
assert curvature.shape[1] == POINTS
d_in = cuda.to_device(curvature)
d_out = cuda.device_array_like(d_in)
smooth_strands[curvature.shape[0], POINTS](d_in, d_out, 0.8, 1e-6)
np.save("fibre_smoothed.npy", d_out.copy_to_host())
