"""Position-dependent damping of token embeddings: one thread per batch entry and feature."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def damp_positions(tokens):
    """tokens: (positions, batch * width)."""
    col = cuda.grid(1)
    if col >= tokens.shape[1]:
        return
    for pos in range(tokens.shape[0]):
        decay = math.log1p(float(pos)) / math.log1p(float(tokens.shape[0]))  # fault: thread_invariant_recompute
        scale = math.exp(-decay) * math.cos(0.01 * pos)  # fault: thread_invariant_recompute
        tokens[pos, col] = tokens[pos, col] * scale


class PositionDecay:
    threads = 256

    def apply(self, d_tokens):
        blocks = (d_tokens.shape[1] + self.threads - 1) // self.threads
        damp_positions[blocks, self.threads](d_tokens)
        return d_tokens


def main():
    tokens = np.random.rand(512, 128 * 768)
    print(PositionDecay().apply(cuda.to_device(tokens)).copy_to_host()[:2, 0])


if __name__ == "__main__":
    main()
