import math

import numpy as np
from numba import cuda


@cuda.jit
def correlate(image, template, response):
    x, y = cuda.grid(2)
    th, tw = template.shape
    if y < response.shape[0] and x < response.shape[1]:
        response[y, x] = 0.0
        for r in range(th):
            for c in range(tw):
                response[y, x] += image[y + r, x + c] * template[r, c]  # fault: redundant_global_loads


def match(image, template):
    image = np.ascontiguousarray(image, dtype=np.float64)
    template = np.ascontiguousarray(template - template.mean(), dtype=np.float64)
    shape = (image.shape[0] - template.shape[0] + 1, image.shape[1] - template.shape[1] + 1)
    d_resp = cuda.device_array(shape, dtype=np.float64)
    threads = (32, 8)
    blocks = (math.ceil(shape[1] / threads[0]), math.ceil(shape[0] / threads[1]))
    correlate[blocks, threads](cuda.to_device(image), cuda.to_device(template), d_resp)
    return d_resp.copy_to_host()


if __name__ == "__main__":
    resp = match(np.load("frame.npy"), np.load("fiducial.npy"))
    np.save("response.npy", resp)
