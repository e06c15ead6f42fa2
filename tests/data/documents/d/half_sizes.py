"""A product in float16 whose sizes are no multiples of eight, and one in float32."""

import torch


def half():
    a = torch.randn(1001, 2047, device="cuda", dtype=torch.float16)
    b = torch.randn(2047, 1023, device="cuda", dtype=torch.float16)
    return a @ b  # hit: matrix-size-not-multiple-of-eight


def single():
    a = torch.randn(1024, 1024, device="cuda")
    b = torch.randn(1024, 1024, device="cuda")
    return torch.matmul(a, b)  # hit: float32-product
