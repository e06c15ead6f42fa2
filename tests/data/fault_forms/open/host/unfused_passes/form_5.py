import math

import cupy as cp
from numba import cuda


def make_adam(beta1=0.9, beta2=0.999, eps=1e-8):
    @cuda.jit
    def first_moment(grad, m):
        i = cuda.grid(1)
        if i < m.size:
            m[i] = beta1 * m[i] + (1.0 - beta1) * grad[i]

    @cuda.jit
    def second_moment(grad, s):
        i = cuda.grid(1)
        if i < s.size:
            s[i] = beta2 * s[i] + (1.0 - beta2) * grad[i] * grad[i]

    @cuda.jit
    def apply(param, m, s, lr):
        i = cuda.grid(1)
        if i < param.size:
            param[i] -= lr * m[i] / (math.sqrt(s[i]) + eps)

    def step(param, grad, m, s, lr):
        config = ((param.size + 255) // 256, 256)
        first_moment[config](grad, m)
        second_moment[config](grad, s)  # fault: unfused_passes
        apply[config](param, m, s, lr)  # fault: unfused_passes

    return step


if __name__ == "__main__":
    n = 30_000_000
    step = make_adam()
    param, m, s = cp.random.rand(n), cp.zeros(n), cp.zeros(n)
    for _ in range(100):
        grad = 2.0 * (param - 0.5)
        step(param, grad, m, s, 1e-3)
    print(float(abs(param - 0.5).max()))
