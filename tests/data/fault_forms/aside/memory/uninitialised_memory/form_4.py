import cupy as cp
from numba import cuda


@cuda.jit
def add_frame(frame, total, total_sq):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < frame.size:
        v = frame[i]
        total[i] += v  # fault: uninitialised_memory
        total_sq[i] += v * v  # fault: uninitialised_memory


def pixel_statistics(load_frame, n_frames):
    """Mean and variance per pixel over a stack too large for the device."""
    first = load_frame(0)
    total = cp.empty(first.size, dtype=cp.float64)
    total_sq = cp.empty(first.size, dtype=cp.float64)
    threads = 256
    blocks = (first.size + threads - 1) // threads
    for k in range(n_frames):
        frame = cp.asarray(load_frame(k), dtype=cp.float64).ravel()
        add_frame[blocks, threads](frame, total, total_sq)
    mean = total / n_frames
    var = total_sq / n_frames - mean * mean
    return mean.reshape(first.shape), var.reshape(first.shape)


if __name__ == "__main__":
    mean, var = pixel_statistics(lambda k: cp.load(f"dark_{k:04d}.npy"), 400)
    cp.savez("dark_statistics.npz", mean=mean, var=var)
