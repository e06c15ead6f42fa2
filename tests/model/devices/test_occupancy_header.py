"""Occupancy against NVIDIA's own calculator: the header of the CUDA runtime, compiled for the CPU."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.devices import Device, load_devices
from advisor.model.occupancy import occupancy

DEVICES = load_devices()

PROGRAM = """
#include "cuda_occupancy.h"
int resident_blocks(int major, int minor, int threads, int registers_per_block, int registers_per_sm,
                    int shared_per_sm, int shared_per_block, int reserved,
                    int registers, int shared, int dynamic, int block) {
  struct cudaOccDeviceProp device = {0};
  device.computeMajor = major;
  device.computeMinor = minor;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = threads;
  device.regsPerBlock = registers_per_block;
  device.regsPerMultiprocessor = registers_per_sm;
  device.warpSize = 32;
  device.sharedMemPerBlock = 49152;
  device.sharedMemPerMultiprocessor = shared_per_sm;
  device.sharedMemPerBlockOptin = shared_per_block;
  device.reservedSharedMemPerBlock = reserved;
  device.numSms = 1;
  struct cudaOccFuncAttributes kernel = {0};
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = registers;
  kernel.sharedSizeBytes = shared;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = dynamic;
  kernel.numBlockBarriers = 1;
  struct cudaOccDeviceState state = {0};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
  struct cudaOccResult result = {0};
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, block, dynamic)) return -1;
  return result.activeBlocksPerMultiprocessor;
}
"""


@pytest.fixture(scope="module")
def nvidia(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    headers = list(Path(sysconfig.get_path("purelib")).glob("nvidia/*/include/cuda_occupancy.h"))
    compiler = shutil.which("cc")
    if not headers or compiler is None:
        pytest.skip("needs a C compiler and the headers of the CUDA runtime")
    folder = tmp_path_factory.mktemp("occupancy")
    (folder / "program.c").write_text(PROGRAM, encoding="utf-8")
    command = [compiler, "-shared", "-fPIC", "-I", str(headers[0].parent), "-o", "program.so", "program.c"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=300)
    return ctypes.CDLL(str(folder / "program.so"))


def blocks_by_nvidia(nvidia: ctypes.CDLL, device: Device, *kernel: int) -> int:
    major, minor = map(int, device.compute_capability.split("."))
    blocks: int = nvidia.resident_blocks(
        major,
        minor,
        device.max_threads_per_sm,
        device.registers_per_block,
        device.registers_per_sm,
        device.shared_bytes_per_sm,
        device.shared_bytes_per_block,
        device.reserved_shared_bytes,
        *kernel,
    )
    assert blocks >= 0
    return blocks


@settings(max_examples=2000, deadline=None)
@given(
    device=st.sampled_from(list(DEVICES.values())),
    registers=st.integers(1, 255),
    static=st.one_of(st.just(0), st.integers(0, 48 * 1024)),
    dynamic=st.one_of(st.just(0), st.integers(0, 230 * 1024)),
    block=st.integers(1, 1030),
)
def test_the_resident_blocks_are_nvidias(
    nvidia: ctypes.CDLL, device: Device, registers: int, static: int, dynamic: int, block: int
) -> None:
    ours = occupancy(
        device, registers=registers, shared_bytes=static, block_threads=block, dynamic_shared_bytes=dynamic
    )
    assert ours.resident_blocks == blocks_by_nvidia(nvidia, device, registers, static, dynamic, block)
