"""Direct convolution layer, valid padding."""
import numpy as np
from numba import cuda, float32


@cuda.jit
def conv2d(x, w, y, channels, kh, kw):
    """x: (C, H, W), w: (F, C*kh*kw), y: (F, H-kh+1, W-kw+1)."""
    col, row = cuda.grid(2)
    f = cuda.blockIdx.z
    if row >= y.shape[1] or col >= y.shape[2]:
        return
    acc = float32(0.0)
    for r in range(channels * kh * kw):
        c = r // (kh * kw)  # fault: int_divmod_hot
        rem = r % (kh * kw)  # fault: int_divmod_hot
        acc += w[f, r] * x[c, row + rem // kw, col + rem % kw]  # fault: int_divmod_hot
    y[f, row, col] = acc


class Conv2d:
    def __init__(self, weight):
        self.f, self.c, self.kh, self.kw = weight.shape
        self.weight = cuda.to_device(weight.reshape(self.f, -1))

    def __call__(self, x):
        oh, ow = x.shape[1] - self.kh + 1, x.shape[2] - self.kw + 1
        y = cuda.device_array((self.f, oh, ow), dtype=np.float32)
        grid = ((ow + 31) // 32, (oh + 7) // 8, self.f)
        conv2d[grid, (32, 8, 1)](x, self.weight, y, self.c, self.kh, self.kw)
        return y


if __name__ == "__main__":
    layer = Conv2d(np.random.rand(32, 16, 5, 5).astype(np.float32))
    image = cuda.to_device(np.random.rand(16, 1024, 1024).astype(np.float32))
    print(layer(image).copy_to_host()[0, 0, :3])
