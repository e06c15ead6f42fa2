"""Host loops around launches, copies, allocations and waits."""

import time

import numpy as np
from numba import cuda


@cuda.jit
def step(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] + np.float32(1)


def time_steps(host, steps):
    a = cuda.to_device(host)  # ok: copy-in-host-loop, same-copy-in-host-loop
    b = cuda.device_array_like(a)  # ok: allocation-in-host-loop
    blocks = (a.size + 255) // 256
    step[blocks, 256](a, b)  # ok: launch-in-host-loop
    for _ in range(steps):
        step[blocks, 256](a, b)  # hit: launch-in-host-loop
        a, b = b, a
    cuda.synchronize()  # ok: wait-in-host-loop
    return a.copy_to_host()  # ok: copy-in-host-loop


def copies_in_each_step(batches, weights):
    results = []
    for batch in batches:  # hit: chunks-on-one-stream
        a = cuda.to_device(batch)  # hit: copy-in-host-loop  # ok: same-copy-in-host-loop
        w = cuda.to_device(weights)  # hit: same-copy-in-host-loop  # ok: copy-in-host-loop
        b = cuda.device_array_like(batch)  # hit: allocation-in-host-loop
        step[4096, 256](a, b)  # hit: launch-in-host-loop
        cuda.synchronize()  # hit: wait-in-host-loop
        results.append(b.copy_to_host())  # hit: copy-in-host-loop
        del w
    return results


def measured(host):
    a = cuda.to_device(host)
    b = cuda.device_array_like(a)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        step[4096, 256](a, b)  # ok: launch-in-host-loop
        cuda.synchronize()  # ok: wait-in-host-loop
        times.append(time.perf_counter() - start)
    return min(times)


def no_gpu_in_the_loop(hosts):
    total = 0.0
    for host in hosts:
        total += host.sum()  # ok: launch-in-host-loop, copy-in-host-loop
    return total


def zeros_from_the_host(batches, counts):
    for batch in batches:
        zeros = np.zeros(100_000, np.float32)
        counts.copy_to_device(zeros)  # hit: array-filled-on-host  # ok: copy-in-host-loop
        step[4096, 256](batch, counts)  # hit: launch-in-host-loop


def zeros_once(batches, n):
    counts = cuda.to_device(np.zeros(n, np.float32))  # ok: array-filled-on-host
    for batch in batches:
        step[4096, 256](batch, counts)  # hit: launch-in-host-loop
    return counts


@cuda.jit(device=True)
def adds_to(row, value):
    for j, old in enumerate(row):
        row[j] = old + value


@cuda.jit
def add_row(terms, sums):
    i = cuda.grid(1)
    if i < terms.size:
        adds_to(sums[i], terms[i])


def sums_of_their_own(batches, n):
    zeros = np.zeros((n, 4), np.float32)
    weights = np.ones(n, np.float32)
    results = []
    for batch in batches:
        sums = cuda.to_device(zeros)  # ok: same-copy-in-host-loop, copy-in-host-loop
        terms = cuda.to_device(weights)  # hit: same-copy-in-host-loop
        add_row[(n + 255) // 256, 256](terms, sums)
        results.append(sums.copy_to_host() * batch)
    return results


def step_by_step(host, weights, batches):
    first = cuda.device_array_like(host)
    for k in range(len(batches)):
        first.copy_to_device(host)  # hit: same-copy-in-host-loop
        held = cuda.to_device(weights)  # ok: same-copy-in-host-loop
        part = cuda.to_device(weights)  # ok: same-copy-in-host-loop
        step[4096, 256](held, first)  # hit: launch-in-host-loop
        step[4096, 256](first, held)  # hit: launch-in-host-loop
        step[4096, 256](first, part[k:])  # hit: launch-in-host-loop
    return first
