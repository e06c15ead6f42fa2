"""The driver's calls about the device: how many there are, their names, numbers and sizes."""

from __future__ import annotations

import ctypes
import uuid
from typing import Any

from advisor.evidence.simulated.driver.entry_points import OutInt, OutSize, entry
from advisor.evidence.simulated.driver.gpu import Gpu, require
from advisor.evidence.simulated.driver.results import Result

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
    def _initialise(self, flags: int) -> None:
        require(flags == 0)
        self.gpu.initialised = True

    @entry("cuDriverGetVersion", OutInt)
    def _version(self, out: Any) -> None:
        out[0] = self.gpu.driver_version

    @entry("cuDeviceGetCount", OutInt)
    def _count(self, out: Any) -> None:
        out[0] = 1

    @entry("cuDeviceGet", OutInt, _INT)
    def _get(self, out: Any, ordinal: int) -> None:
        _require_device(ordinal)
        out[0] = ordinal

    @entry("cuDeviceGetName", _TEXT, _INT, _INT)
    def _name(self, out: Any, length: int, device: int) -> None:
        _require_device(device)
        _write_text(out, length, self.gpu.properties.device.name.encode())

    @entry("cuDeviceGetUuid", _TEXT, _INT)
    def _identity(self, out: Any, device: int) -> None:
        _require_device(device)
        own = uuid.uuid5(uuid.NAMESPACE_OID, self.gpu.properties.device.id)
        ctypes.memmove(out, own.bytes, len(own.bytes))

    @entry("cuDeviceGetAttribute", OutInt, _INT, _INT)
    def _attribute(self, out: Any, code: int, device: int) -> None:
        from cuda.bindings.driver import CUdevice_attribute

        _require_device(device)
        try:
            CUdevice_attribute(code)
        except ValueError:
            require(False)
        # Some have two names, and the versions of the bindings give the one or the other.
        known = self.gpu.properties.attributes.items()
        named = ((getattr(CUdevice_attribute, _PREFIX + name, None), value) for name, value in known)
        out[0] = next((value for number, value in named if number is not None and int(number) == code), 0)

    @entry("cuDeviceComputeCapability", OutInt, OutInt, _INT)
    def _capability(self, major: Any, minor: Any, device: int) -> None:
        _require_device(device)
        major[0], minor[0] = self.gpu.properties.capability

    @entry("cuDeviceTotalMem", OutSize, _INT)
    def _total_memory(self, out: Any, device: int) -> None:
        _require_device(device)
        out[0] = int(self.gpu.properties.device.dram_bytes or 0)

    @entry("cuDeviceGetPCIBusId", _TEXT, _INT, _INT)
    def _bus(self, out: Any, length: int, device: int) -> None:
        _require_device(device)
        _write_text(out, length, _PCI_BUS_ID)

    @entry("cuDeviceGetByPCIBusId", OutInt, ctypes.c_char_p)
    def _by_bus(self, out: Any, name: bytes | None) -> None:
        require(name == _PCI_BUS_ID, Result.CUDA_ERROR_INVALID_DEVICE)
        out[0] = 0

    @entry("cuDeviceCanAccessPeer", OutInt, _INT, _INT)
    def _can_access_peer(self, out: Any, device: int, other: int) -> None:
        _require_device(device)
        _require_device(other)
        out[0] = 0

    @entry("cuGetErrorName cuGetErrorString", _INT, _OUT_TEXT)
    def _error_text(self, result: int, out: Any) -> None:
        require(result in self._texts)
        out[0] = self._texts[result]

    @entry("cuGetExportTable", ctypes.c_void_p, ctypes.c_void_p)
    def _export_table(self, _out: int, _identity: int) -> None:
        # NVRTC asks for undocumented tables and crashes where this function does not exist.
        require(False)


def _require_device(device: int) -> None:
    require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)


def _write_text(out: Any, length: int, text: bytes) -> None:
    require(length > 0)
    kept = text[: length - 1] + b"\0"
    ctypes.memmove(out, kept, len(kept))
