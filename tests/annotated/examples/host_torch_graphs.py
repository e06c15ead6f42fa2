"""CUDA graphs of torch, and copies to the host that go on."""

import torch
from torch import nn


def waits_in_the_capture(x):
    model = nn.Linear(64, 64).cuda()
    x = x.cuda()
    for _ in range(3):
        model(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # ok: graph-capture-without-warm-up
        y = model(x)
        loss = y.sum()
        print(loss.item())  # hit: wait-in-graph-capture
        torch.cuda.synchronize()  # hit: wait-in-graph-capture
    graph.replay()
    return loss.item()  # ok: wait-in-graph-capture


def without_a_warm_up():
    model = nn.Linear(64, 64).cuda()
    x = torch.zeros(64, 64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # hit: graph-capture-without-warm-up
        y = model(x)  # ok: wait-in-graph-capture
    return graph, y


def input_bound_anew(loader, model):
    x = torch.zeros(64, 64, device="cuda")
    model(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    for batch in loader:
        x = batch.cuda()  # hit: graph-input-rebound
        graph.replay()
    return y


def input_written(loader, model):
    x = torch.zeros(64, 64, device="cuda")
    model(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # ok: wait-in-graph-capture
        y = model(x)
    for batch in loader:
        x.copy_(batch)  # ok: graph-input-rebound
        graph.replay()
    return y


def read_while_it_is_copied():
    x = torch.zeros(64, 64, device="cuda")
    y = x.to("cpu", non_blocking=True)
    return y.numpy()  # hit: host-reads-before-copy-ends


def read_when_it_is_there():
    x = torch.zeros(64, 64, device="cuda")
    y = x.to("cpu", non_blocking=True)
    torch.cuda.synchronize()
    return y.numpy()  # ok: host-reads-before-copy-ends


def copied_at_once():
    x = torch.zeros(64, 64, device="cuda")
    y = x.to("cpu")
    return y.numpy()  # ok: host-reads-before-copy-ends
