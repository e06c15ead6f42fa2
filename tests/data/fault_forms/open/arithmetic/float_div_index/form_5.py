import cupy as cp
from numba import cuda


def make_downsampler(ratio):
    threads = 256

    @cuda.jit(device=True)
    def bucket(t, width):
        return int(t / width)  # fault: float_div_index

    @cuda.jit
    def spread(coarse, width, fine):
        i = cuda.grid(1)
        if i < fine.size:
            fine[i] = coarse[bucket(i, width)]

    def run(coarse):
        fine = cp.empty(coarse.size * ratio)
        spread[(fine.size + threads - 1) // threads, threads](coarse, ratio, fine)
        return fine

    return run


if __name__ == "__main__":
    hold = make_downsampler(12)
    print(float(hold(cp.random.rand(3_000_000)).mean()))
