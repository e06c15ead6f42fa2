import numpy as np
from numba import cuda, float64

TPB = 256


@cuda.jit
def weighted_centroid(image, moments):
    """Zeroth and first moments with block-wide accumulators."""
    acc = cuda.shared.array(3, float64)
    t = cuda.threadIdx.x
    if t < 3:
        acc[t] = 0.0
    cuda.syncthreads()
    y = cuda.blockIdx.x
    for x in range(t, image.shape[1], cuda.blockDim.x):
        v = image[y, x]
        cuda.atomic.add(acc, 0, v)  # fault: atomics_contention
        cuda.atomic.add(acc, 1, v * x)  # fault: atomics_contention
        cuda.atomic.add(acc, 2, v * y)  # fault: atomics_contention
    cuda.syncthreads()
    if t < 3:
        cuda.atomic.add(moments, t, acc[t])


def spot_centre(image):
    image = np.ascontiguousarray(image, dtype=np.float64)
    d_image = cuda.to_device(image)
    d_moments = cuda.to_device(np.zeros(3))
    weighted_centroid[image.shape[0], TPB](d_image, d_moments)
    m0, mx, my = d_moments.copy_to_host()
    return mx / m0, my / m0


if __name__ == "__main__":
    print("centre: %.3f %.3f" % spot_centre(np.load("laser_spot_6144.npy")))
