import math

import numpy as np
from numba import cuda


@cuda.jit
def softmax(logits, probs):
    i = cuda.grid(1)
    if i >= logits.size:
        return
    top = logits[0]
    for k in range(logits.size):  # fault: serial_work_all_threads
        top = max(top, logits[k])
    total = 0.0
    for k in range(logits.size):  # fault: serial_work_all_threads
        total += math.exp(logits[k] - top)
    probs[i] = math.exp(logits[i] - top) / total


def probabilities(logits):
    d_logits = cuda.to_device(logits)
    d_probs = cuda.device_array_like(d_logits)
    threads = 256
    blocks = (logits.size + threads - 1) // threads
    softmax[blocks, threads](d_logits, d_probs)
    return d_probs.copy_to_host()


if __name__ == "__main__":
    print(probabilities(np.random.normal(size=200_000)).sum())
