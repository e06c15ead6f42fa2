"""Point location in a flattened bounding-box tree."""
import cupy as cp
from numba import cuda, int32


@cuda.jit(device=True)
def overlaps(box, node, x, y):
    return box[0, node] <= x and x <= box[1, node] and box[2, node] <= y and y <= box[3, node]


@cuda.jit
def count_hits(box, left, right, px, py, hits):
    i = cuda.grid(1)
    if i < px.size:
        stack = cuda.local.array(48, int32)
        stack[0] = 0
        top = 1
        n = 0
        while top > 0:
            top -= 1
            node = stack[top]  # fault: local_array_dynamic_index
            if overlaps(box, node, px[i], py[i]):
                if left[node] < 0:
                    n += 1
                else:
                    stack[top] = left[node]  # fault: local_array_dynamic_index
                    stack[top + 1] = right[node]  # fault: local_array_dynamic_index
                    top += 2
        hits[i] = n


class BoxTree:
    max_depth = 40

    def __init__(self, box, left, right, depth):
        if depth > self.max_depth:
            raise ValueError("tree too deep")
        self.box = cp.asarray(box, dtype=cp.float64)
        self.left = cp.asarray(left, dtype=cp.int32)
        self.right = cp.asarray(right, dtype=cp.int32)

    def query(self, px, py):
        hits = cp.empty(px.size, dtype=cp.int32)
        threads = 128
        count_hits[(px.size + threads - 1) // threads, threads](self.box, self.left, self.right, px, py, hits)
        return hits
