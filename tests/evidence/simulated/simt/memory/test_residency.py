"""How many blocks share an L1, and what their shared memory leaves of it, by the numbers of the A100."""

from __future__ import annotations

from dataclasses import replace

import pytest
from numba import cuda, float32

from advisor.evidence.simulated.simt import residency
from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.machine import CacheSizes, compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.residency import Residency
from advisor.model.devices import find_device
from advisor.model.machine_code.nvjitlink import LinkFailure, Resources, assemble
from advisor.model.storage.cache import Cache

DEVICE = find_device("A100")
L1, L2, RESERVED = 192 * 1024, DEVICE.l2_bytes, 1024


@pytest.fixture(scope="module")
def ptx():
    def double(x):
        i = cuda.grid(1)
        x[i] *= 2

    return cuda.compile_ptx(double, (float32[::1],), cc=(8, 0))[0]


@pytest.fixture(scope="module")
def kernel(ptx):
    module = read_ptx(ptx)
    return compile_kernel(module, next(iter(module.functions)))


def caches(kernel, ptx, threads, shared, device=DEVICE, cache=None):
    launch = Launch((1000, 1, 1), (threads, 1, 1), b"", dynamic_shared=shared)
    return Residency(cache).caches(device, ptx, kernel, launch)


# Threads and bytes of shared memory of a block -> residents. A multiprocessor holds 2,048 threads, 32 blocks
# and 164 KB of shared memory, of which each block takes a kilobyte more.
@pytest.mark.parametrize(
    ("threads", "shared", "residents"),
    [(1024, 0, 2), (1024, 48 * 1024, 2), (256, 48 * 1024, 3), (256, 0, 8), (32, 0, 32), (32, 7 * 1024, 20)],
)
def test_residents_and_what_their_shared_memory_leaves(kernel, ptx, threads, shared, residents):
    left = L1 - residents * (shared + RESERVED)
    assert caches(kernel, ptx, threads, shared) == CacheSizes(left, L2, 108, residents)


def test_registers_bound_the_residents(kernel, ptx, monkeypatch, tmp_path):
    asked = []

    def assembled(text, capability, bound):
        asked.append((text, capability, bound))
        return b"", Resources(128, 0, 0, 0, 0)

    monkeypatch.setattr(residency, "assemble", assembled)
    # 65,536 registers hold 16 warps of 32 threads with 128 each: two blocks of 256 threads.
    for _ in range(2):
        assert caches(kernel, ptx, 256, 0, cache=Cache(tmp_path)).residents == 2
    # What the assembler said is kept.
    assert asked == [(ptx, (8, 0), None)]


def test_without_an_assembler_registers_bound_nothing(kernel, ptx, monkeypatch):
    def missing(*_):
        raise ImportError

    monkeypatch.setattr(residency, "assemble", missing)
    assert caches(kernel, ptx, 256, 0).residents == 8


def test_a_device_without_sizes_has_no_caches(kernel, ptx):
    assert caches(kernel, ptx, 256, 0, replace(DEVICE, l1_bytes=None)) is None
    assert caches(kernel, ptx, 256, 0, replace(DEVICE, max_warps_per_sm=None)).residents == 1


def test_an_architecture_that_the_assembler_no_longer_knows_is_its_refusal(ptx):
    with pytest.raises(LinkFailure):
        assemble(ptx, (3, 5), None)
