"""Gradients of several small batches make one step, and each of them travels to the other GPUs."""

import torch
from torch.nn.parallel import DistributedDataParallel


def train(network, loader, optimizer, accumulation_steps):
    model = DistributedDataParallel(network)
    for i, batch in enumerate(loader):
        loss = model(batch) / accumulation_steps
        loss.backward()  # hit: gradients-sent-before-step
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
