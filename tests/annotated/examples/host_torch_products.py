"""Matrix products of torch in float32, with sizes in the source."""

import torch

SIZE = 2048


def large():
    a = torch.randn(SIZE, SIZE, device="cuda")
    b = torch.randn(SIZE, 1024).cuda()
    return a @ b  # hit: float32-product


def small():
    a = torch.randn(256, 256, device="cuda")
    return torch.matmul(a, a)  # ok: float32-product


def half():
    a = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.float16)
    return a @ a  # ok: float32-product, matrix-size-not-multiple-of-eight


def half_of_an_odd_size():
    a = torch.randn(SIZE, 1001, device="cuda").half()
    b = torch.randn(1001, SIZE, device="cuda").half()
    return torch.matmul(a, b)  # hit: matrix-size-not-multiple-of-eight


def sizes_of_the_caller(n):
    a = torch.randn(n, n, device="cuda")
    return a @ a  # ok: float32-product


def on_the_cpu():
    a = torch.randn(SIZE, SIZE)
    return a @ a  # ok: float32-product
