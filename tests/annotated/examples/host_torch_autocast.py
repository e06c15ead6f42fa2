"""Layers and products of a file that uses autocast."""

import torch
from torch import nn


def head(width, x):
    layer = nn.Linear(768, 50257).cuda()  # hit: matrix-size-not-multiple-of-eight
    padded = nn.Linear(768, 50304).cuda()  # ok: matrix-size-not-multiple-of-eight
    classes = nn.Linear(768, 10).cuda()  # ok: matrix-size-not-multiple-of-eight
    other = nn.Linear(width, 1001).cuda()  # ok: matrix-size-not-multiple-of-eight
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return layer(x), padded(x), classes(x), other(x)


def product():
    a = torch.randn(2048, 2048, device="cuda")
    with torch.autocast("cuda"):
        return a @ a  # ok: float32-product
