import numpy as np
from numba import cuda, float64, int32, void


@cuda.jit(void(int32[::1], float64[::1], float64[::1]))
def gather_weights(edge_source, node_rank, edge_flow):
    e = cuda.grid(1)
    if e >= edge_source.shape[0]:
        return
    edge_flow[e] = node_rank[edge_source[e]]


def edge_flows(edge_source, node_rank):
    """Flow along each edge of a directed graph, for nodes with the given ranks."""
    d_source = cuda.to_device(edge_source)
    d_rank = cuda.to_device(node_rank)
    d_flow = cuda.device_array(edge_source.shape[0], dtype=np.float64)
    launcher = gather_weights.forall(node_rank.shape[0])  # fault: launch_shape_from_wrong_array
    launcher(d_source, d_rank, d_flow)
    return d_flow.copy_to_host()


if __name__ == "__main__":
    nodes, edges = 1_000_000, 24_000_000
    rng = np.random.default_rng(5)
    source = np.sort(rng.integers(0, nodes, edges)).astype(np.int32)
    rank = rng.random(nodes)
    flow = edge_flows(source, rank / rank.sum())
    print(flow.sum())
