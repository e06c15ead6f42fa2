"""Kernel identities from what the worker says of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.model.history.fingerprint import KernelIdentity


def identity_of(described: Mapping[str, Any]) -> KernelIdentity:
    """The identity of a kernel with the shape of its launch, as `KernelDescriber` gives it."""
    grid, block = described["grid"], described["block"]
    return KernelIdentity(
        name=described["name"],
        path=described["path"],
        source_hash=described["source_hash"],
        types=tuple(described["types"]),
        grid=(grid[0], grid[1], grid[2]),
        block=(block[0], block[1], block[2]),
        dynamic_shared=described["dynamic_shared"],
    )
