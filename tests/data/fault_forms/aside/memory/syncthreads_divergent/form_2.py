import cupy as cp
from numba import cuda, float64

THREADS = 256


@cuda.jit
def block_max(values, out):
    s = cuda.shared.array(THREADS, float64)
    tid = cuda.threadIdx.x
    best = values[0]
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        best = max(best, values[i])
    s[tid] = best
    cuda.syncthreads()
    width = THREADS // 2
    while width > 0:
        if tid < width:
            s[tid] = max(s[tid], s[tid + width])
            cuda.syncthreads()  # fault: syncthreads_divergent
        width //= 2
    if tid == 0:
        out[cuda.blockIdx.x] = s[0]


def device_max(values, blocks=512):
    out = cp.empty(blocks, dtype=cp.float64)
    block_max[blocks, THREADS](values, out)
    return float(out.max())


if __name__ == "__main__":
    wave_height = cp.load("significant_wave_height.npy").astype(cp.float64).ravel()
    print("record:", device_max(wave_height))
