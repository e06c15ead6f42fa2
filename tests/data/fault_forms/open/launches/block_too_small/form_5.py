"""Histogram-free thresholding of flow cytometry events."""
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def inside(x, y, cx, cy, rx, ry):
    dx = (x - cx) / rx
    dy = (y - cy) / ry
    return dx * dx + dy * dy <= 1.0


@cuda.jit
def gate_events(forward, side, gate, member):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < member.shape[0]:
        member[i] = inside(forward[i], side[i], gate[0], gate[1], gate[2], gate[3])


def launch_config(n):
    """One warp per block keeps the scheduling simple."""
    warp = cuda.get_current_device().WARP_SIZE
    return (n + warp - 1) // warp, warp


def gate(forward, side, ellipse):
    n = forward.shape[0]
    d_member = cuda.device_array(n, dtype=np.bool_)
    blocks, threads = launch_config(n)
    gate_events[blocks, threads](cuda.to_device(forward), cuda.to_device(side),  # fault: block_too_small
                                 cuda.to_device(ellipse), d_member)
    return d_member.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    events = rng.lognormal(3.0, 0.6, (2, 20_000_000))
    keep = gate(events[0], events[1], np.array([22.0, 20.0, 12.0, 9.0]))
    print("kept", keep.sum(), "of", keep.size)
