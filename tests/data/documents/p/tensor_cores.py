"""Products on both sides of the guide's 512: below it float32 is fine, above it tensor cores pay."""

import torch


def small():
    a = torch.randn(256, 256, device="cuda")
    b = torch.randn(256, 256, device="cuda")
    return torch.matmul(a, b)


def large():
    a = torch.randn(1024, 1024, device="cuda")
    b = torch.randn(1024, 1024, device="cuda")
    return torch.matmul(a, b)  # hit: float32-product
