"""Bellman-Ford relaxation over an edge list."""
import numpy as np
from numba import cuda

INF = np.float32(1e30)


@cuda.jit
def relax(src, dst, weight, dist, pred, changed):
    for e in range(cuda.grid(1), src.size, cuda.gridsize(1)):
        candidate = dist[src[e]] + weight[e]
        v = dst[e]
        if candidate < dist[v]:
            dist[v] = candidate
            pred[v] = src[e]
            changed[0] = 1


class ShortestPaths:
    config = (1024, 256)

    def __init__(self, n, src, dst, weight):
        self.n = n
        self.edges = tuple(cuda.to_device(a) for a in (src, dst, weight))
        self.flag = cuda.device_array(1, dtype=np.int32)
        self.clear = np.zeros(1, dtype=np.int32)

    def run(self, source):
        start = np.full(self.n, INF, dtype=np.float32)
        start[source] = 0.0
        dist = cuda.to_device(start)
        pred = cuda.to_device(np.full(self.n, -1, dtype=np.int32))
        for _ in range(self.n - 1):
            self.flag.copy_to_device(self.clear)
            relax[self.config](*self.edges, dist, pred, self.flag)
            if self.flag.copy_to_host()[0] == 0:
                break
        return dist.copy_to_host(), pred.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    n, m = 200_000, 4_000_000
    s = rng.integers(0, n, m, dtype=np.int32)
    d = rng.integers(0, n, m, dtype=np.int32)
    w = rng.random(m, dtype=np.float32)
    paths, parents = ShortestPaths(n, s, d, w).run(0)
    print(paths[paths < INF].max(), np.count_nonzero(parents >= 0))
