"""The register limit of a kernel: proposed where one more block becomes resident without spills."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

from advisor.fixes.rewrites.arithmetic.limit_registers import Demand, best_limit, more_blocks_wait
from advisor.model.devices import find_device

FIX = "limit-registers"


def kernel_of(values: int, decorator: str = "@cuda.jit", block: int = 256, blocks: int = 2048) -> str:
    """A kernel whose threads keep so many values alive at once, with its launch."""
    names = [f"v{k}" for k in range(values)]
    loads = "\n".join(f"        {name} = x[i + {k} * n]" for k, name in enumerate(names))
    products = " + ".join(f"{name} * (s - {name})" for name in names)
    return f"""
import numpy as np
from numba import cuda


{decorator}
def heavy(x, out, n):
    i = cuda.grid(1)
    if i < n:
{loads}
        s = {" + ".join(names)}
        out[i] = {products}


def run(x, n):
    out = np.zeros(n, np.float32)
    heavy[(n + 255) // 256, 256](x, out, n)
    return out


def workload():
    n = {block * blocks}
    x = cuda.to_device(np.ones({values} * n, np.float32))
    heavy[{blocks}, {block}](x, cuda.device_array(n, np.float32), n)
"""


# 60 values take 72 registers: 3 blocks of 256 threads on an A100 (65,536 registers). A fourth block fits with
# 65,536 / (4 * 256) = 64 registers.
def test_one_more_block(tmp_path: Path) -> None:
    text = kernel_of(60, "@cuda.jit(fastmath=True)")
    after = text.replace("fastmath=True", "fastmath=True, max_registers=64").lstrip("\n")
    assert fixed(tmp_path, FIX, text, "compiled") == after


LEFT = {
    "a limit stands there": kernel_of(60, "@cuda.jit(max_registers=72)"),
    "no limit is asked for": kernel_of(60, "@cuda.jit(max_registers=None)"),
    # 110 registers: the next block would need a limit of 80.
    "under four fifths of what the compiler uses": kernel_of(90),
    "half of the warp slots are filled": kernel_of(48),
    "options of elsewhere": kernel_of(60, "OPTIONS = {}\n\n\n@cuda.jit(**OPTIONS)"),
}


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    assert fixed(tmp_path, FIX, LEFT[name], "compiled") == LEFT[name].lstrip("\n")


def test_without_machine_code_nothing_is_known(tmp_path: Path) -> None:
    assert fixed(tmp_path, FIX, kernel_of(60)) == kernel_of(60).lstrip("\n")


def test_the_second_kernel_of_a_file_is_limited_itself(tmp_path: Path) -> None:
    first = kernel_of(4).replace("heavy", "light").replace("def run", "def light_run")
    after = fixed(tmp_path, FIX, first + kernel_of(60), "compiled")
    assert after.count("max_registers") == 1
    assert "@cuda.jit(max_registers=64)\ndef heavy" in after


DEVICE = find_device("a100-80gb")
LIMITS = [
    # 65,536 / 3 blocks / 256 threads = 85.3 registers, in steps of 8: 80.
    (Demand(85 + 8, 0, 256, None), 80),
    (Demand(128, 0, 256, None), 80),
    (Demand(72, 0, 256, None), 64),
    # 2 blocks of 512 threads: a third one with 42.7 registers.
    (Demand(64, 0, 512, None), 40),
    # 164 KiB of shared memory hold 2 blocks of 64 KiB, whatever the registers.
    (Demand(128, 65536, 256, None), None),
    # 2,048 threads are all that fit.
    (Demand(32, 0, 256, None), None),
]


@pytest.mark.parametrize(("demand", "limit"), LIMITS)
def test_the_most_registers_for_one_more_block(demand: Demand, limit: int | None) -> None:
    assert best_limit(DEVICE, demand) == limit


def test_only_where_more_blocks_wait() -> None:
    # 3 blocks on each of 108 multiprocessors: 324 are resident at once.
    assert not more_blocks_wait(DEVICE, Demand(72, 0, 256, 324))
    assert more_blocks_wait(DEVICE, Demand(72, 0, 256, 325))
    assert more_blocks_wait(DEVICE, Demand(72, 0, 256, None))


@settings(max_examples=5, deadline=None)
@given(n=st.integers(1, 700), seed=st.integers(0, 99))
def test_equal_results(simulated: SimulatedRuns, n: int, seed: int) -> None:
    before = kernel_of(60)
    after = before.replace("@cuda.jit", "@cuda.jit(max_registers=64)")
    x = np.random.default_rng(seed).random(60 * n, np.float32)
    expected = simulated.call(before, "run", x, n)
    np.testing.assert_allclose(simulated.call(after, "run", x, n), expected, rtol=1e-6)
