"""What needs no PyTorch: nothing is loaded until a program imports it, and memory can be adopted."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.torch import serving


def test_nothing_of_pytorch_is_loaded_before_the_program_imports_it(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    before = set(sys.modules)
    serving.serve_torch(installed=None)
    assert not {name for name in set(sys.modules) - before if name.split(".")[0] == "torch"}


def test_kernels_may_access_adopted_memory_until_it_is_freed():
    memory, content = DeviceMemory(), np.arange(100, dtype=np.uint8)
    address = int(content.ctypes.data)
    memory.adopt(content)
    assert memory.view(address + 10, 5).tolist() == [10, 11, 12, 13, 14]
    assert (memory.start_of(address + 99), memory.size_of(address)) == (address, 100)
    with pytest.raises(KeyError):
        memory.view(address + 99, 2)
    memory.free(address)
    assert memory.start_of(address) is None
