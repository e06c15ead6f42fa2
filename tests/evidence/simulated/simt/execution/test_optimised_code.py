"""Code is optimised when a kernel has run long enough, and gives the same before and afterwards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from numba import cuda, float32, float64, int64
from numba_launch import Compiled, compiled
from numba_simulator import module_of
from test_random_kernels import arrays_for, kernels

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Execution, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector import kernels as vector_kernels
from advisor.evidence.simulated.simt.vector.layout import Site
from advisor.model.storage.cache import Cache

COUNT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, 1;
    atom.global.add.u32 %r2, [%rd1], %r1;
    ret;
}
"""


# Words of a site that hold addresses of the host.
ADDRESSES = (Site.LOW, Site.HIGH, Site.TOUCHED, Site.PLACED, Site.WRITTEN, Site.STORED)


def assert_same(one: Execution, other: Execution) -> None:
    """Hold that two executions counted the same in every block and at every access."""
    for counts in ("block_runs", "block_lanes", "divisions"):
        assert getattr(one, counts).tolist() == getattr(other, counts).tolist(), counts
    sites = [np.delete(execution.sites, ADDRESSES, axis=1).tolist() for execution in (one, other)]
    assert sites[0] == sites[1]
    assert one.defects == other.defects
    assert (one.status, one.balance, one.barriers) == (other.status, other.balance, other.barriers)
    assert (one.loaded_sectors, one.stored_sectors) == (other.loaded_sectors, other.stored_sectors)


def count_launch(kernel, blocks: int, threads: int = 1) -> tuple[Execution, int]:
    """A launch of COUNT with one warp a block, and what it counted."""
    memory = DeviceMemory()
    address = memory.upload(np.zeros(1, np.uint32))
    space = pack_parameters(kernel.function, [address.to_bytes(8, "little")])
    execution = run(kernel, Launch((blocks, 1, 1), (32, 1, 1), space), memory, Settings(threads=threads))
    found = np.zeros(1, np.uint32)
    memory.download(address, found)
    return execution, int(found[0])


@settings(max_examples=8, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(kernels())
def test_random_kernels_give_the_same_bytes_and_counts(tmp_path, kernel):
    block, source = kernel
    types = (int64[::1], int64[::1], int64[::1], float64[::1], int64[::1])
    ready = compiled(module_of(source, tmp_path)["kernel"].py_func, *types)
    first = arrays_for(block)
    before = ready.launch(1, block, *first, settings=Settings(detailed_lanes=1000))
    ready.kernel.optimise()
    again = arrays_for(block)
    after = ready.launch(1, block, *again, settings=Settings(detailed_lanes=1000))
    assert ready.kernel.optimised
    assert_same(before, after)
    assert [one.tobytes() for one in first] == [one.tobytes() for one in again]


def special_values(kind: type) -> np.ndarray:
    """Zeros, infinities, subnormal and large numbers, and NaNs of one form."""
    few = [0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, np.finfo(kind).tiny / 8, np.finfo(kind).max]
    return np.array([one for one in few for _ in few], kind), np.array(few * len(few), kind)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_results_of_special_values_have_the_same_bits(kind):
    def mixed(x, y, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i, 0] = x[i] + y[i]
            out[i, 1] = x[i] * y[i]
            out[i, 2] = x[i] / y[i]
            out[i, 3] = x[i] * y[i] - x[i]
            out[i, 4] = min(x[i], y[i])
            out[i, 5] = max(x[i], y[i])
            out[i, 6] = x[i] ** 0.5
            out[i, 7] = y[i] - x[i]

    element = float32 if kind is np.float32 else float64
    ready = compiled(mixed, element[:], element[:], element[:, :])
    one, other = special_values(kind)
    found = []
    for _ in range(2):
        out = np.zeros((one.size, 8), kind)
        ready.launch(3, 32, one, other, out)
        found.append(out)
        ready.kernel.optimise()
    whole = [~np.isnan(out) for out in found]
    assert (whole[0] == whole[1]).all()
    assert found[0][whole[0]].tobytes() == found[1][whole[1]].tobytes()


def test_a_kernel_that_runs_little_is_not_optimised():
    kernel = compile_kernel(read_ptx(COUNT), "k")
    _, count = count_launch(kernel, 1000)
    assert count == 32_000
    assert kernel.executed == 1000 * 4
    assert not kernel.optimised


@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_launch_goes_on_with_optimised_code(monkeypatch: pytest.MonkeyPatch, threads: int):
    reference, _ = count_launch(compile_kernel(read_ptx(COUNT), "k"), 500, threads)
    monkeypatch.setattr(vector_kernels, "_WORTH_OPTIMISING", 100)
    kernel = compile_kernel(read_ptx(COUNT), "k")
    first = kernel.address
    execution, count = count_launch(kernel, 500, threads)
    assert kernel.optimised and kernel.address != first
    assert count == 16_000
    assert_same(execution, reference)


def test_short_launches_add_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vector_kernels, "_WORTH_OPTIMISING", 30)
    kernel = compile_kernel(read_ptx(COUNT), "k")
    optimised = []
    for _ in range(4):
        count_launch(kernel, 10)
        optimised.append(kernel.optimised)
    # When the fourth launch begins each of the four instructions has run 30 times.
    assert optimised == [False, False, False, True]


def test_optimised_code_takes_the_place_of_the_first_one_on_disk(tmp_path: Path):
    kernel = compile_kernel(read_ptx(COUNT), "k", Cache(tmp_path))
    assert not compile_kernel(read_ptx(COUNT), "k", Cache(tmp_path)).optimised
    kernel.optimise()
    again = compile_kernel(read_ptx(COUNT), "k", Cache(tmp_path))
    assert again.optimised
    assert again.warp == kernel.warp
    assert count_launch(again, 3)[1] == 96


def test_optimising_again_changes_nothing():
    kernel = compile_kernel(read_ptx(COUNT), "k")
    kernel.optimise()
    address = kernel.address
    kernel.optimise()
    assert kernel.address == address


def test_barriers_and_shared_memory_are_the_same():
    def turned(x, out):
        tile = cuda.shared.array(64, float32)
        i = cuda.grid(1)
        t = cuda.threadIdx.x
        tile[t] = x[i]
        cuda.syncthreads()
        out[i] = tile[63 - t]

    ready: Compiled = compiled(turned, float32[::1], float32[::1])
    x = np.arange(256, dtype=np.float32)
    results = []
    for _ in range(2):
        out = np.zeros_like(x)
        execution = ready.launch(4, 64, x, out)
        results.append((execution, out))
        ready.kernel.optimise()
    assert results[0][1].tolist() == results[1][1].tolist() == x.reshape(4, 64)[:, ::-1].ravel().tolist()
    assert_same(results[0][0], results[1][0])
