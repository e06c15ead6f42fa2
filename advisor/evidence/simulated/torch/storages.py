"""The memory of tensors: that of the simulated GPU, also where the CPU has made a result."""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any

import numpy as np
import torch

from advisor.evidence.simulated.driver.api.buffers import Buffers


class Storages:
    """Places tensors in the memory of the simulated GPU, and makes that of results visible to kernels."""

    def __init__(self, buffers: Buffers) -> None:
        self._buffers = buffers
        self._lock = threading.Lock()
        self._taken: dict[int, tuple[int, Any]] = {}

    def on_gpu(self, tensor: torch.Tensor) -> torch.Tensor:
        """A plain tensor with the same elements in new memory of the GPU."""
        size = tensor.numel() * tensor.element_size()
        if size == 0 or tensor.layout is not torch.strided:
            return tensor
        address = self._buffers.allocate(size, "device")
        self._buffers.memory.note_written(address, size)
        # The storage keeps this view, and the buffer ends with it.
        content = self._buffers.memory.view(address, size)[:]
        weakref.finalize(content, self._buffers.free, address, ("device",)).atexit = False
        made = torch.from_numpy(content).view(tensor.dtype)
        dense = tensor.is_contiguous() or _is_dense(tensor)
        strides = tensor.stride() if dense else torch.empty_like(tensor, device="meta").stride()
        with torch.no_grad():
            made = made.as_strided(tensor.shape, strides)
            made.copy_(tensor.detach())
        return made

    def show(self, tensor: torch.Tensor) -> None:
        """Let kernels access the memory of a tensor that an operator of the CPU has made."""
        storage = tensor.untyped_storage()
        address, size = int(storage.data_ptr()), int(storage.nbytes())
        if not size or (self._buffers.kind(address) is not None and address not in self._taken):
            return
        with self._lock:
            known = self._taken.get(address)
            if known is not None and known[0] == size:
                return
            self._give_up(address, size)
            content = np.frombuffer(memoryview((ctypes.c_ubyte * size).from_address(address)), np.uint8)
            self._buffers.memory.adopt(content)
            self._taken[address] = size, storage

    def _give_up(self, address: int, size: int) -> None:
        """Let go of memory that no tensor has any more, and of what lies where new memory is."""
        for begin, (length, storage) in list(self._taken.items()):
            overlaps = begin < address + size and address < begin + length
            if overlaps or torch._C._storage_Use_Count(storage._cdata) <= 1:
                self._buffers.memory.free(begin)
                del self._taken[begin]


def _is_dense(tensor: torch.Tensor) -> bool:
    """Whether the elements fill their memory in some order of the axes."""
    extent = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size > 1 and stride != extent:
            return False
        extent *= size
    return True
