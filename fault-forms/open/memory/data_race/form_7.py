"""Degree distribution of a graph given as an edge list."""
import numpy as np
from numba import cuda


@cuda.jit
def count_degrees(src, dst, degree):
    e = cuda.grid(1)
    if e < src.shape[0]:
        degree[src[e]] += 1
        degree[dst[e]] += 1


class Graph:
    threads = 256

    def __init__(self, n_nodes, edges):
        self.n_nodes = n_nodes
        self.src = cuda.to_device(np.ascontiguousarray(edges[:, 0], dtype=np.int32))
        self.dst = cuda.to_device(np.ascontiguousarray(edges[:, 1], dtype=np.int32))

    @property
    def launch(self):
        return (self.src.size + self.threads - 1) // self.threads, self.threads

    def degrees(self):
        degree = cuda.to_device(np.zeros(self.n_nodes, dtype=np.int32))
        count_degrees[self.launch](self.src, self.dst, degree)
        return degree.copy_to_host()


def main():
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 500_000, size=(20_000_000, 2))
    deg = Graph(500_000, edges).degrees()
    print("mean degree", deg.mean(), "max", deg.max())


if __name__ == "__main__":
    main()
