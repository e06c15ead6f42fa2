import numpy as np
from numba import cuda, boolean, float64, int32, void


@cuda.jit(void(int32[::1], int32[::1], int32[::1], int32, boolean[::1]))
def expand_frontier(row_ptr, col_idx, dist, level, grew):
    v = cuda.grid(1)
    if v < dist.size:
        if dist[v] == level:
            for e in range(row_ptr[v], row_ptr[v + 1]):
                w = col_idx[e]
                if dist[w] == -1:
                    dist[w] = level + 1
                    grew[0] = True


@cuda.jit(void(int32[::1], int32))
def set_source(dist, source):
    v = cuda.grid(1)
    if v < dist.size and v == source:
        dist[v] = 0


def bfs(row_ptr, col_idx, source):
    n = row_ptr.size - 1
    d_row = cuda.to_device(row_ptr.astype(np.int32))
    d_col = cuda.to_device(col_idx.astype(np.int32))
    d_dist = cuda.device_array(n, dtype=np.int32)  # fault: uninitialised_memory
    threads = 256
    blocks = (n + threads - 1) // threads
    set_source[blocks, threads](d_dist, source)
    no = np.zeros(1, dtype=np.bool_)
    d_grew = cuda.to_device(no)
    level = 0
    while True:
        d_grew.copy_to_device(no)
        expand_frontier[blocks, threads](d_row, d_col, d_dist, level, d_grew)
        if not d_grew.copy_to_host()[0]:
            break
        level += 1
    return d_dist.copy_to_host()


if __name__ == "__main__":
    g = np.load("road_network_csr.npz")
    np.save("hops.npy", bfs(g["indptr"], g["indices"], 0))
