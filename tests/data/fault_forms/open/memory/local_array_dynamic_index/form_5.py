import cupy as cp
from numba import cuda, float64, int32, void

K = 16


@cuda.jit(void(float64[:, ::1], float64[:, ::1]))
def trimmed_mean(stack, out):
    """Mean of the frames of stack[frame, pixel] without the K largest values."""
    p = cuda.grid(1)
    if p < stack.shape[1]:
        largest = cuda.local.array(K, float64)
        for k in range(K):
            largest[k] = -1.0e300
        total = 0.0
        for f in range(stack.shape[0]):
            v = stack[f, p]
            total += v
            if v > largest[K - 1]:
                j = K - 1
                while j > 0 and largest[j - 1] < v:
                    largest[j] = largest[j - 1]  # fault: local_array_dynamic_index
                    j -= 1
                largest[j] = v  # fault: local_array_dynamic_index
        top = 0.0
        for k in range(K):
            top += largest[k]
        out[0, p] = (total - top) / (stack.shape[0] - K)
        out[1, p] = largest[0]


def combine(stack):
    n_frames = stack.shape[0]
    if n_frames <= K:
        raise ValueError("too few frames")
    flat = cp.ascontiguousarray(stack.reshape(n_frames, -1), dtype=cp.float64)
    out = cp.empty((2, flat.shape[1]), dtype=cp.float64)
    trimmed_mean[(flat.shape[1] + 127) // 128, 128](flat, out)
    return out.reshape((2,) + stack.shape[1:])


if __name__ == "__main__":
    cp.save("combined.npy", combine(cp.load("exposures_200.npy")))
