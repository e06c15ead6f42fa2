"""A sequence of launches that stays the same, and captures that fail or replay the wrong input."""

import numpy as np
import torch
from numba import cuda


@cuda.jit
def predict(x, v, dt):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += v[i] * dt


@cuda.jit
def correct(v, x):
    i = cuda.grid(1)
    if i < v.size:
        v[i] -= x[i]


def simulate(steps):
    x = cuda.to_device(np.ones(1 << 16, dtype=np.float32))
    v = cuda.to_device(np.ones(1 << 16, dtype=np.float32))
    dt = np.float32(0.01)
    for _ in range(steps):  # hit: static-launch-sequence
        predict[256, 256](x, v, dt)
        correct[256, 256](v, x)
    return x.copy_to_host()


def without_a_warm_up():
    model = torch.nn.Linear(512, 512).cuda()
    input_buf = torch.zeros(32, 512, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # hit: graph-capture-without-warm-up
        output = model(input_buf)
    return graph, output


def captured(model, criterion, target_buf, dataloader):
    input_buf = torch.zeros(32, 512, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = model(input_buf)
        loss = criterion(output, target_buf)
        print(loss.item())  # hit: wait-in-graph-capture
    for batch in dataloader:
        input_buf = batch["input"].to("cuda")  # hit: graph-input-rebound
        graph.replay()
    return output
