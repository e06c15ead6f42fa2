"""Two GPUs that exchange data by way of the host, and gradients one parameter at a time."""

import torch
import torch.distributed as dist


def hand_over(steps):
    first = torch.ones(1 << 20, device="cuda:0")
    for _ in range(steps):
        first = first * 2
        second = first.cpu().to("cuda:1")  # hit: device-copy-through-host
        second += 1
    return second


def hand_over_in_two_statements(steps):
    first = torch.ones(1 << 20, device="cuda:0")
    for _ in range(steps):
        first = first * 2
        on_host = first.cpu()
        second = on_host.to("cuda:1")  # hit: device-copy-through-host
        second += 1
    return second


def average_gradients(model):
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)  # hit: all-reduce-for-each-parameter
        parameter.grad /= dist.get_world_size()
