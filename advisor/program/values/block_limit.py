"""The most threads that a block can have, on all devices that are known."""

from __future__ import annotations

from functools import cache

from advisor.model.devices import load_devices
from advisor.program.values.constant_folding import UNKNOWN


@cache
def largest_block() -> object:
    """`MAX_THREADS_PER_BLOCK` where all devices agree on it, else UNKNOWN."""
    limits = {device.max_threads_per_block for device in load_devices().values()}
    only = limits.pop() if len(limits) == 1 else None
    return UNKNOWN if only is None else only
