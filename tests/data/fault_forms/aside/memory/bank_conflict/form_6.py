import numpy as np
from numba import cuda, float32

BLOCK = 128
REC = 8  # px, py, pz, radius, r, g, b, pad
FLOATS = BLOCK * REC


@cuda.jit
def smooth_splats(data, smoothed, dt):
    """Pull every splat towards its two neighbours in the block."""
    rec = cuda.shared.array(FLOATS, float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * BLOCK + t
    n = data.shape[1]
    if i < n:
        for f in range(REC):
            rec[t * REC + f] = data[f, i]  # fault: bank_conflict
    cuda.syncthreads()
    if i < n:
        left = max(t - 1, 0)
        right = min(t + 1, min(BLOCK, n - cuda.blockIdx.x * BLOCK) - 1)
        for f in range(REC):
            own = rec[t * REC + f]
            pull = (rec[left * REC + f] - own) + (rec[right * REC + f] - own)  # fault: bank_conflict
            smoothed[f, i] = own + dt * pull


def step(splats, dt):
    d_in = cuda.to_device(np.ascontiguousarray(splats, dtype=np.float32))
    d_out = cuda.device_array_like(d_in)
    blocks = (splats.shape[1] + BLOCK - 1) // BLOCK
    smooth_splats[blocks, BLOCK](d_in, d_out, np.float32(dt))
    return d_out.copy_to_host()


if __name__ == "__main__":
    scene = np.load("garden_splats_8xN.npy")
    assert scene.shape[0] == REC
    np.save("garden_smoothed.npy", step(scene, 0.05))
