"""Clipping of gradients in a training loop, by a specialised kernel."""
import numpy as np
from numba import cuda


def make_sgd_kernel(lr, bound):
    lr = float(lr)
    bound = float(bound)

    def sgd(weights, grads):
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < weights.size:
            g = grads[i]
            g = min(max(g, -bound), bound)
            weights[i] -= lr * g

    return cuda.jit(fastmath=True)(sgd)  # fault: jit_in_function


def train(weights, gradient_of, epochs, lr0):
    d_weights = cuda.to_device(weights)
    blocks = (weights.size + 127) // 128
    for epoch in range(epochs):
        lr = lr0 / (1.0 + 0.1 * epoch)
        make_sgd_kernel(lr, 1.0)[blocks, 128](d_weights, gradient_of(epoch))
    return d_weights.copy_to_host()


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    pool = [cuda.to_device(rng.normal(size=2_000_000)) for _ in range(4)]
    np.save("weights.npy", train(rng.normal(size=2_000_000), lambda e: pool[e % 4], 300, 0.05))
