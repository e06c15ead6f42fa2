"""Interval filters over the columns of a table."""
import numpy as np
from numba import cuda

KERNEL_SOURCE = {
    "open": lambda v, lo, hi: lo < v < hi,
    "closed": lambda v, lo, hi: lo <= v <= hi,
}


class ColumnStore:
    def __init__(self, **columns):
        self.columns = {name: cuda.to_device(c) for name, c in columns.items()}

    def between(self, name, lo, hi, kind="closed"):
        column = self.columns[name]
        test = cuda.jit(device=True)(KERNEL_SOURCE[kind])

        @cuda.jit  # fault: jit_in_function
        def select(values, lo, hi, keep):
            start = cuda.grid(1)
            for i in range(start, values.size, cuda.gridsize(1)):
                keep[i] = test(values[i], lo, hi)

        keep = cuda.device_array(column.size, dtype=np.bool_)
        blocks = min(8192, (column.size + 255) // 256)
        select[blocks, 256](column, lo, hi, keep)
        return keep.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    store = ColumnStore(price=rng.lognormal(3.0, 0.5, 5_000_000), volume=rng.gamma(2.0, 10.0, 5_000_000))
    for lo in range(0, 50, 5):
        np.save(f"price_{lo}.npy", store.between("price", float(lo), lo + 5.0))
