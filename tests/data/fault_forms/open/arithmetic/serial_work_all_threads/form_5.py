import cupy as cp
from numba import cuda


def make_histogrammer(bins, lo, hi):
    scale = bins / (hi - lo)

    @cuda.jit
    def histogram(values, counts):
        b = cuda.grid(1)
        if b < counts.size:
            n = 0
            for k in range(values.size):  # fault: serial_work_all_threads
                j = int((values[k] - lo) * scale)
                if j == b:
                    n += 1
            counts[b] = n

    def run(values):
        counts = cp.empty(bins, dtype=cp.int64)
        histogram[(bins + 127) // 128, 128](values, counts)
        return counts

    return run


if __name__ == "__main__":
    hist = make_histogrammer(65536, 0.0, 1.0)
    print(hist(cp.random.rand(4_000_000))[:5])
