import numpy as np
from numba import cuda


@cuda.jit
def fill_missing(table, column_mean):
    col, row = cuda.grid(2)
    if row < table.shape[0] and col < table.shape[1]:
        if table[row, col] < 0.0:
            table[row, col] = column_mean[col]


class Imputer:
    """Replaces the negative sentinel of a feature table by the mean of its column."""

    block = (64, 4)

    def fit(self, table):
        valid = np.where(table < 0.0, np.nan, table)
        self.mean = cuda.to_device(np.nanmean(valid, axis=0))
        return self

    def transform(self, table):
        rows, cols = table.shape
        grid = ((cols + 63) // 64, (rows + 3) // 4)
        d_table = cuda.to_device(table)
        fill_missing[grid, self.block](d_table, self.mean)  # fault: grid_axis_limit_exceeded
        return d_table.copy_to_host()


if __name__ == "__main__":
    events = np.random.default_rng(1).random((2_000_000, 128))
    events[events < 0.02] = -1.0
    print(Imputer().fit(events[:100_000]).transform(events).min())
