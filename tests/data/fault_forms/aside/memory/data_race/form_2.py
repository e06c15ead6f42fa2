"""Internal forces of a linear triangle mesh."""
import cupy as cp
from numba import cuda


@cuda.jit
def assemble_loads(conn, area, pressure, load):
    e = cuda.grid(1)
    if e < conn.shape[1]:
        share = pressure[e] * area[e] / 3.0
        for k in range(3):
            load[conn[k, e]] += share  # fault: data_race


class Membrane:
    def __init__(self, nodes, triangles):
        self.nodes = cp.asarray(nodes, dtype=cp.float64)
        self.conn = cp.ascontiguousarray(cp.asarray(triangles, dtype=cp.int32).T)
        a, b, c = (self.nodes[self.conn[k]] for k in range(3))
        self.area = 0.5 * cp.abs((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1])
                                 - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1]))

    def load_vector(self, pressure):
        load = cp.zeros(self.nodes.shape[0], dtype=cp.float64)
        n_elem = self.conn.shape[1]
        threads = 128
        assemble_loads[(n_elem + threads - 1) // threads, threads](self.conn, self.area, pressure, load)
        return load


if __name__ == "__main__":
    mesh = cp.load("membrane.npz")
    membrane = Membrane(mesh["nodes"], mesh["triangles"])
    rhs = membrane.load_vector(mesh["pressure"].astype(cp.float64))
    cp.save("rhs.npy", rhs)
