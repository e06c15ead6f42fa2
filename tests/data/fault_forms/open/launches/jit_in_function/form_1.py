"""Thresholded difference of consecutive images, called once for each pair."""
import numpy as np
from numba import cuda


def changed_pixels(d_before, d_after, d_mask, level):
    @cuda.jit  # fault: jit_in_function
    def mark(before, after, mask, level):
        i = cuda.grid(1)
        if i < mask.size:
            mask[i] = abs(after[i] - before[i]) > level

    threads = 256
    blocks = (d_mask.size + threads - 1) // threads
    mark[blocks, threads](d_before, d_after, d_mask, level)


def main():
    stack = np.random.default_rng(0).random((60, 2048 * 2048))
    d_stack = cuda.to_device(stack)
    d_masks = cuda.device_array((59, stack.shape[1]), dtype=np.bool_)
    for k in range(59):
        changed_pixels(d_stack[k], d_stack[k + 1], d_masks[k], 0.8)
    np.save("changes.npy", d_masks.copy_to_host())


if __name__ == "__main__":
    main()
