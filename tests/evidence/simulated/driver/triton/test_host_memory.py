"""Memory of the host on the GPU for the time of a launch."""

from __future__ import annotations

import numpy as np

from advisor.evidence.simulated.driver.triton.host_memory import HostMemory, HostRange
from advisor.evidence.simulated.simt.device_memory import ALIGNMENT, DeviceMemory


def whole(array: np.ndarray, writable: bool = True) -> HostRange:
    begin = int(array.ctypes.data)
    return HostRange(begin, begin + array.nbytes, writable)


def test_what_the_gpu_writes_comes_back():
    memory, array = DeviceMemory(), np.arange(4, dtype=np.float32)
    with HostMemory(memory, [whole(array)]) as host:
        there = host.on_device(int(array.ctypes.data))
        assert there is not None
        on_device = memory.view(there, array.nbytes).view(np.float32)
        assert on_device.tolist() == [0, 1, 2, 3]
        on_device[1] = 7
        assert array[1] == 1
    assert array.tolist() == [0, 7, 2, 3]
    assert memory.buffers() == []


def test_what_may_not_be_written_stays_as_it_is():
    memory, array = DeviceMemory(), np.arange(4)
    with HostMemory(memory, [whole(array, writable=False)]) as host:
        there = host.on_device(int(array.ctypes.data))
        assert there is not None
        memory.view(there, array.nbytes)[:] = 0
    assert array.tolist() == [0, 1, 2, 3]


def test_what_overlaps_is_one_piece():
    memory, array = DeviceMemory(), np.arange(10, dtype=np.int64)
    begin = int(array.ctypes.data)
    with HostMemory(memory, [whole(array[4:]), whole(array[:6])]) as host:
        first, fifth = host.on_device(begin), host.on_device(begin + 32)
        assert first is not None
        assert fifth == first + 32
        assert len(memory.buffers()) == 1


def test_what_only_touches_stays_apart():
    memory, array = DeviceMemory(), np.arange(10, dtype=np.int64)
    with HostMemory(memory, [whole(array[:5]), whole(array[5:])]):
        assert len(memory.buffers()) == 2


def test_arrays_begin_where_those_of_the_gpu_do():
    memory, content = DeviceMemory(), np.zeros(64, np.uint8)
    begin = -int(content.ctypes.data) % 16
    with HostMemory(memory, [whole(content[begin : begin + 16])]) as host:
        address = host.on_device(int(content.ctypes.data) + begin)
        assert address is not None
        assert address % ALIGNMENT == 0


def test_a_place_within_16_bytes_is_kept():
    memory, content = DeviceMemory(), np.zeros(64, np.uint8)
    begin = -int(content.ctypes.data) % 16 + 4
    with HostMemory(memory, [whole(content[begin : begin + 16])]) as host:
        address = host.on_device(int(content.ctypes.data) + begin)
        assert address is not None
        assert address % ALIGNMENT == 4


def test_nothing_is_copied_of_nothing():
    memory, array = DeviceMemory(), np.empty(0)
    with HostMemory(memory, [whole(array)]) as host:
        assert memory.buffers() == []
        assert host.on_device(int(array.ctypes.data)) is None


def test_another_address_is_none():
    memory, array = DeviceMemory(), np.zeros(4)
    with HostMemory(memory, [whole(array)]) as host:
        assert host.on_device(int(array.ctypes.data) - 1) is None
        assert host.on_device(int(array.ctypes.data) + array.nbytes) is not None
