"""The driver's calls about the device: how many there are, their names, numbers and sizes."""

from __future__ import annotations

import ctypes
import uuid
from typing import Any

from advisor.driver.entry_points import OutInt, OutSize, entry
from advisor.driver.gpu import Gpu, require
from advisor.driver.results import Result

_INT = ctypes.c_int
_TEXT = ctypes.POINTER(ctypes.c_char)
_OUT_TEXT = ctypes.POINTER(ctypes.c_char_p)
_PREFIX = "CU_DEVICE_ATTRIBUTE_"
_PCI_BUS_ID = b"0000:00:00.0"


class DeviceCalls:
    """cuInit, cuDriverGetVersion, cuDeviceGet… and cuGetError… for one device with the number 0."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self._texts = {result.value: result.name.encode() for result in Result}

    @entry("cuInit", ctypes.c_uint)
    def initialise(self, flags: int) -> None:
        require(flags == 0)

    @entry("cuDriverGetVersion", OutInt)
    def version(self, out: Any) -> None:
        out[0] = self.gpu.driver_version

    @entry("cuDeviceGetCount", OutInt)
    def count(self, out: Any) -> None:
        out[0] = 1

    @entry("cuDeviceGet", OutInt, _INT)
    def get(self, out: Any, ordinal: int) -> None:
        _require_device(ordinal)
        out[0] = ordinal

    @entry("cuDeviceGetName", _TEXT, _INT, _INT)
    def name(self, out: Any, length: int, device: int) -> None:
        _require_device(device)
        _write_text(out, length, self.gpu.properties.device.name.encode())

    @entry("cuDeviceGetUuid", _TEXT, _INT)
    def identity(self, out: Any, device: int) -> None:
        _require_device(device)
        own = uuid.uuid5(uuid.NAMESPACE_OID, self.gpu.properties.device.id)
        ctypes.memmove(out, own.bytes, len(own.bytes))

    @entry("cuDeviceGetAttribute", OutInt, _INT, _INT)
    def attribute(self, out: Any, code: int, device: int) -> None:
        from cuda.bindings.driver import CUdevice_attribute

        _require_device(device)
        try:
            name = CUdevice_attribute(code).name.removeprefix(_PREFIX)
        except ValueError:
            require(False)
        out[0] = self.gpu.properties.attributes.get(name, 0)

    @entry("cuDeviceComputeCapability", OutInt, OutInt, _INT)
    def capability(self, major: Any, minor: Any, device: int) -> None:
        _require_device(device)
        major[0], minor[0] = self.gpu.properties.capability

    @entry("cuDeviceTotalMem", OutSize, _INT)
    def total_memory(self, out: Any, device: int) -> None:
        _require_device(device)
        out[0] = int(self.gpu.properties.device.dram_bytes or 0)

    @entry("cuDeviceGetPCIBusId", _TEXT, _INT, _INT)
    def bus(self, out: Any, length: int, device: int) -> None:
        _require_device(device)
        _write_text(out, length, _PCI_BUS_ID)

    @entry("cuDeviceGetByPCIBusId", OutInt, ctypes.c_char_p)
    def by_bus(self, out: Any, name: bytes | None) -> None:
        require(name == _PCI_BUS_ID, Result.CUDA_ERROR_INVALID_DEVICE)
        out[0] = 0

    @entry("cuDeviceCanAccessPeer", OutInt, _INT, _INT)
    def can_access_peer(self, out: Any, device: int, other: int) -> None:
        _require_device(device)
        _require_device(other)
        out[0] = 0

    @entry("cuGetErrorName cuGetErrorString", _INT, _OUT_TEXT)
    def error_text(self, result: int, out: Any) -> None:
        require(result in self._texts)
        out[0] = self._texts[result]


def _require_device(device: int) -> None:
    require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)


def _write_text(out: Any, length: int, text: bytes) -> None:
    require(length > 0)
    kept = text[: length - 1] + b"\0"
    ctypes.memmove(out, kept, len(kept))
