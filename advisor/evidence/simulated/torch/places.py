"""Which device PyTorch's calls name: the simulated GPU, the host, or one that there is not."""

from __future__ import annotations

from typing import Any

import torch

GPU = torch.device("cuda", 0)
HOST = torch.device("cpu")


def named(value: Any) -> torch.device | None:
    """The device that an argument is, None for no device; raises RuntimeError for a second GPU."""
    if isinstance(value, bool) or not isinstance(value, str | int | torch.device):
        return None
    try:
        found = torch.device("cuda", value) if isinstance(value, int) else torch.device(value)
    except RuntimeError:
        return None
    if found.type == "cuda" and found.index not in (None, 0):
        raise RuntimeError(
            f"CUDA error: invalid device ordinal: there is no {found} on the simulated GPU, only cuda:0."
        )
    return found


def is_gpu(value: Any) -> bool:
    """Whether an argument names the simulated GPU."""
    found = named(value)
    return found is not None and found.type == "cuda"
