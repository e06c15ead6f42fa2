"""The first call of a compiled model is measured: the time is that of `torch.compile`."""

import time

import torch


def measure(network, images):
    images = images.to("cuda")
    model = torch.compile(network)
    start = time.perf_counter()
    out = model(images)
    torch.cuda.synchronize()
    print(time.perf_counter() - start)  # hit: compile-in-measurement
    return out


def measure_warmed_up(network, images):
    images = images.to("cuda")
    model = torch.compile(network)
    model(images)
    torch.cuda.synchronize()
    start = time.perf_counter()
    out = model(images)
    torch.cuda.synchronize()
    print(time.perf_counter() - start)
    return out
