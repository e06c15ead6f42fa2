import numpy as np
from numba import cuda


@cuda.jit
def scale_depth(raw, depth, info, focal, baseline):
    x, y = cuda.grid(2)
    h, w = raw.shape
    if x < w and y < h:
        info[0] = focal * baseline  # fault: redundant_global_stores
        info[1] = focal  # fault: redundant_global_stores
        d = raw[y, x]
        if d > 0.0:
            depth[y, x] = focal * baseline / d
        else:
            depth[y, x] = 0.0


def disparity_to_depth(disparity, focal, baseline):
    disparity = np.ascontiguousarray(disparity, dtype=np.float64)
    d_disp = cuda.to_device(disparity)
    d_depth = cuda.device_array_like(d_disp)
    d_info = cuda.device_array(2, dtype=np.float64)
    block = (32, 8)
    grid = ((disparity.shape[1] + 31) // 32, (disparity.shape[0] + 7) // 8)
    scale_depth[grid, block](d_disp, d_depth, d_info, focal, baseline)
    return d_depth.copy_to_host(), d_info.copy_to_host()


if __name__ == "__main__":
    depth, info = disparity_to_depth(np.load("stereo_disparity.npy"), 1420.0, 0.12)
    np.savez("depth.npz", depth=depth, info=info)
