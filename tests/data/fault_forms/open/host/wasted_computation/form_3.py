import cupy as cp
from numba import cuda


@cuda.jit("void(float64[:, ::1], float64[:, ::1], int64)")
def box_filter(image, smooth, radius):
    x, y = cuda.grid(2)
    h, w = image.shape
    if x < w and y < h:
        acc = 0.0
        for j in range(-radius, radius + 1):
            yy = min(max(y + j, 0), h - 1)
            for i in range(-radius, radius + 1):
                acc += image[yy, min(max(x + i, 0), w - 1)]
        smooth[y, x] = acc / ((2 * radius + 1) * (2 * radius + 1))


image = cp.random.rand(8192, 8192)
smooth = cp.empty_like(image)
blocks = ((image.shape[1] + 31) // 32, (image.shape[0] + 7) // 8)
box_filter[blocks, (32, 8)](image, smooth, 4)  # fault: wasted_computation
thumbnail = smooth[::8, ::8].copy()
print(thumbnail.shape, float(thumbnail.mean()))
