import cupy as cp
from numba import cuda

# Degree-normalised message of each node in a large graph
nodes = 3_000_000
feature = cp.random.random(nodes)
degree = cp.random.randint(1, 40, nodes)
message = cp.empty(nodes, dtype=cp.float64)


@cuda.jit
def scale_by_degree(feature, degree, message):
    v = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if v < message.size:
        message[v] = feature[v] / degree[v]


tpb = 256
bpg = (feature.nbytes * tpb + tpb - 1) // tpb
scale_by_degree[bpg, tpb](feature, degree, message)  # fault: oversubscribed_grid
print("mean message", float(message.mean()))
