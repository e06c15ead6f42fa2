"""Expected number of sequencing errors per read (reads x cycles quality matrix)."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def expected_errors(qual, table, lengths, ee):
    read = cuda.grid(1)
    if read >= qual.shape[0]:
        return
    total = 0.0
    for cycle in range(lengths[read]):
        total += table[qual[read, cycle]]  # fault: uncoalesced
    ee[read] = total


def filter_reads(qual, lengths, max_ee=1.0):
    table = np.power(10.0, -np.arange(256) / 10.0)
    d_qual = cuda.to_device(np.ascontiguousarray(qual, dtype=np.uint8))
    d_len = cuda.to_device(np.minimum(lengths, qual.shape[1]).astype(np.int32))
    d_table = cuda.to_device(table)
    d_ee = cuda.device_array(qual.shape[0], dtype=np.float64)
    threads = 128
    expected_errors[math.ceil(qual.shape[0] / threads), threads](d_qual, d_table, d_len, d_ee)
    return d_ee.copy_to_host() <= max_ee


if __name__ == "__main__":
    data = np.load("lane1_quals.npz")
    keep = filter_reads(data["qual"], data["length"])
    print(f"{keep.sum()} of {keep.size} reads pass")
