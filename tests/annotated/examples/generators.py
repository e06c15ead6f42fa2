"""States of random generators: seeded again in a loop, one for each element, or one for each thread."""

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32


@cuda.jit
def one_draw(states, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = xoroshiro128p_uniform_float32(states, i)


@cuda.jit
def many_draws(states, out):
    i = cuda.grid(1)
    if i < states.size:
        for j in range(i, out.size, states.size):
            out[j] = xoroshiro128p_uniform_float32(states, i)


@cuda.jit
def walks(states, out):
    step, walk = cuda.grid(2)
    if walk < out.shape[0] and step < out.shape[1]:
        # The threads of all steps draw from the state of their walk.
        out[walk, step] = xoroshiro128p_uniform_float32(states, walk)  # hit: shared-generator-state


@cuda.jit
def walks_of_own_states(states, out):
    step, walk = cuda.grid(2)
    if walk < out.shape[0] and step < out.shape[1]:
        i = walk * out.shape[1] + step
        out[walk, step] = xoroshiro128p_uniform_float32(states, i)  # ok: shared-generator-state


@cuda.jit
def rows_of_one_draw(states, out):
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    drawn = cuda.shared.array(1, np.float32)
    if t == 0:
        drawn[0] = xoroshiro128p_uniform_float32(states, row)  # ok: shared-generator-state
    cuda.syncthreads()
    if t < out.shape[1]:
        out[row, t] = drawn[0]


THREADS = 432 * 256


def a_state_for_each_sample(samples):
    out = cuda.device_array(samples, dtype=np.float32)
    states = create_xoroshiro128p_states(samples, seed=1)  # hit: generator-for-each-element
    one_draw.forall(samples)(states, out)


def a_state_for_each_path(paths):
    out = cuda.device_array(paths * 100, dtype=np.float32)
    states = create_xoroshiro128p_states(paths, seed=1)  # ok: generator-for-each-element
    many_draws.forall(paths)(states, out)


def a_state_for_each_thread(samples, batches):
    out = cuda.device_array(samples, dtype=np.float32)
    states = create_xoroshiro128p_states(THREADS, seed=1)  # ok: generator-for-each-element
    for _ in range(batches):
        many_draws[432, 256](states, out)
        out.copy_to_host()


def the_same_numbers(samples, batches):
    out = cuda.device_array(samples, dtype=np.float32)
    for _ in range(batches):
        states = create_xoroshiro128p_states(THREADS, seed=1)  # hit: same-random-numbers-in-host-loop
        many_draws[432, 256](states, out)
        out.copy_to_host()


def other_numbers(samples, batches):
    out = cuda.device_array(samples, dtype=np.float32)
    for batch in range(batches):
        states = create_xoroshiro128p_states(THREADS, seed=batch)  # ok: same-random-numbers-in-host-loop
        many_draws[432, 256](states, out)
        states = create_xoroshiro128p_states(  # ok: same-random-numbers-in-host-loop
            THREADS, seed=1, subsequence_start=batch * THREADS
        )
        many_draws[432, 256](states, out)
        out.copy_to_host()
