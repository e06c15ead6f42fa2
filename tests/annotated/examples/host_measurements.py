"""Clocks around work of the GPU: with and without a wait, with and without a first launch before."""

import time
from datetime import datetime
from time import perf_counter

import cupy
import numpy as np
import torch
from numba import cuda


@cuda.jit
def step(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] + np.float32(1)


@cuda.jit
def first_seen_in_the_measurement(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] * np.float32(2)


@cuda.jit
def launched_before(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] * np.float32(3)


@cuda.jit("void(float32[::1], float32[::1])")
def compiled_ahead(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] * np.float32(4)


def without_a_wait(n):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    b = cuda.device_array_like(a)
    step[4096, 256](a, b)
    start = time.time()
    step[4096, 256](a, b)
    return time.time() - start  # hit: measured-without-wait  # ok: compile-in-measurement


def with_a_wait(n):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    b = cuda.device_array_like(a)
    step[4096, 256](a, b)
    cuda.synchronize()
    start = time.time()
    step[4096, 256](a, b)
    cuda.synchronize()
    end = time.time()  # ok: measured-without-wait, compile-in-measurement
    return end - start


def the_copy_waits(n):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    b = cuda.device_array_like(a)
    start = perf_counter()
    step[4096, 256](a, b)
    result = b.copy_to_host()
    return perf_counter() - start, result  # ok: measured-without-wait


def host_arrays_wait(n):
    a = np.ones(n, dtype=np.float32)
    b = np.ones(n, dtype=np.float32)
    start = perf_counter()
    step[4096, 256](a, b)  # ok: host-array-argument
    return perf_counter() - start  # ok: measured-without-wait


def something_else_may_wait(n, settle):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    b = cuda.device_array_like(a)
    start = perf_counter()
    step[4096, 256](a, b)
    settle()
    return perf_counter() - start  # ok: measured-without-wait


def compiles_while_it_is_measured(n):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    b = cuda.device_array_like(a)
    start = time.perf_counter()
    first_seen_in_the_measurement[4096, 256](a, b)
    cuda.synchronize()
    return time.perf_counter() - start  # hit: compile-in-measurement  # ok: measured-without-wait


def compiled_before_it_is_measured(n):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    b = cuda.device_array_like(a)
    launched_before[4096, 256](a, b)
    cuda.synchronize()
    start = time.perf_counter()
    launched_before[4096, 256](a, b)
    cuda.synchronize()
    return time.perf_counter() - start  # ok: compile-in-measurement


def compiled_with_the_file(n):
    a = cuda.to_device(np.ones(n, dtype=np.float32))
    b = cuda.device_array_like(a)
    start = time.perf_counter()
    compiled_ahead[4096, 256](a, b)
    cuda.synchronize()
    return time.perf_counter() - start  # ok: compile-in-measurement


def torch_without_a_wait(n):
    x = torch.randn(n, n, device="cuda")
    start = time.perf_counter()
    y = torch.matmul(x, x)
    took = time.perf_counter() - start  # hit: measured-without-wait
    return y, took


def torch_with_a_wait(n):
    x = torch.randn(n, n, device="cuda")
    torch.cuda.synchronize()
    start = time.perf_counter()
    y = torch.matmul(x, x)
    torch.cuda.synchronize()
    return y, time.perf_counter() - start  # ok: measured-without-wait


def torch_on_the_cpu(n):
    x = torch.randn(n, n)
    start = time.perf_counter()
    y = torch.matmul(x, x)
    return y, time.perf_counter() - start  # ok: measured-without-wait


def cupy_without_a_wait(n):
    x = cupy.random.rand(n, n)
    x = cupy.zeros((n, n))
    start = time.perf_counter()
    y = x @ x
    return y, time.perf_counter() - start  # hit: measured-without-wait


def cupy_brings_the_result(n):
    x = cupy.zeros((n, n))
    start = time.perf_counter()
    y = (x @ x).get()
    return y, time.perf_counter() - start  # ok: measured-without-wait


def torch_compiles_in_the_measured_time(net, n):
    x = torch.randn(n, n, device="cuda")
    model = torch.compile(net)
    start = time.perf_counter()
    y = model(x)
    torch.cuda.synchronize()
    return y, time.perf_counter() - start  # hit: compile-in-measurement


def torch_has_compiled_before(net, n):
    x = torch.randn(n, n, device="cuda")
    model = torch.compile(net)
    model(x)
    start = time.perf_counter()
    y = model(x)
    torch.cuda.synchronize()
    return y, time.perf_counter() - start  # ok: compile-in-measurement


def compiled_by_somebody_else(model, n):
    x = torch.randn(n, n, device="cuda")
    start = time.perf_counter()
    y = model(x)
    torch.cuda.synchronize()
    return y, time.perf_counter() - start  # ok: compile-in-measurement


class Stopwatch:
    def without_a_wait(self, n):
        a = cuda.to_device(np.ones(n, dtype=np.float32))
        b = cuda.device_array_like(a)
        step[4096, 256](a, b)
        self.begin = datetime.now()
        step.forall(n)(a, b)
        self.end = datetime.now()  # hit: measured-without-wait
        return self.end - self.begin

    def with_a_wait(self, n):
        a = cuda.to_device(np.ones(n, dtype=np.float32))
        b = cuda.device_array_like(a)
        step[4096, 256](a, b)
        self.begin = datetime.now()
        step.forall(n)(a, b)
        cuda.synchronize()
        self.end = datetime.now()  # ok: measured-without-wait
        return self.end - self.begin
