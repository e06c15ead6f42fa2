"""Buffers that each iteration makes again: on the device, and on the host first."""

import torch


def evaluate(dataloader, device="cuda"):
    total = torch.zeros(1024, device=device)
    for batch in dataloader:
        scratch = torch.zeros(1024, device=device)  # hit: buffer-allocated-in-host-loop
        scratch += batch["input"].to(device)
        total += scratch * torch.ones(1024).to(device)  # hit: tensor-created-on-host
    return total
