"""Times kernels with shuffles, with the values of absent lanes followed and without.

    python benchmarks/simulator/shuffled_values.py [--repeat N] [NAME…]

Both translations of each kernel take turns; the least of N runs counts. JIT is the time of the first launch
beyond the least of the later ones. Prints a Markdown table. Kernels without shuffles are translated alike.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
warnings.simplefilter("ignore")


def main() -> None:
    """Print the table."""
    from numba import cuda

    from advisor.evidence.simulated.driver import device_properties, install
    from advisor.evidence.simulated.launches.outcome import Outcome
    from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
    from advisor.evidence.simulated.simt.vector.translation import function
    from advisor.model.devices import find_device

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    device = find_device("A100")
    outcomes: list[Outcome] = []
    executor = SimtExecutor(device, outcomes.append, Limits(threads=1, detailed_lanes=0))
    install(executor, device_properties(device))
    ways: dict[str, Any] = {"with": function.shuffled_registers, "without": lambda *_: frozenset()}
    print("| kernel | with, ms | without, ms | ratio | JIT with, ms | JIT without, ms |")
    print("|---|---|---|---|---|---|")
    for name, work in _kernels(cuda).items():
        if given.names and name not in given.names:
            continue
        compiled: dict[str, Any] = {way: {} for way in ways}
        work()  # Numba compiles it, and the runtime is loaded
        first: dict[str, float] = {}
        least = dict.fromkeys(ways, math.inf)
        for _ in range(given.repeat + 1):
            for way, registers in ways.items():
                function.shuffled_registers = registers
                executor._kernels = compiled[way]
                begin = time.perf_counter()
                work()
                seconds = time.perf_counter() - begin
                first.setdefault(way, seconds)
                least[way] = min(least[way], seconds)
        times = " | ".join(f"{least[way] * 1e3:.1f}" for way in ways)
        jits = " | ".join(f"{(first[way] - least[way]) * 1e3:.0f}" for way in ways)
        print(f"| {name} | {times} | {least['with'] / least['without']:.2f} | {jits} |", flush=True)


def _kernels(cuda: Any) -> dict[str, Callable[[], Any]]:
    @cuda.jit
    def warp_sums(x, out):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        value = x[i]
        step = 16
        while step > 0:
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
            step //= 2
        if cuda.threadIdx.x % 32 == 0:
            cuda.atomic.add(out, 0, value)

    @cuda.jit
    def warp_prefixes(x, out):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        lane = cuda.threadIdx.x % 32
        value = x[i]
        step = 1
        while step < 32:
            before = cuda.shfl_up_sync(0xFFFFFFFF, value, step)
            if lane >= step:
                value += before
            step *= 2
        out[i] = value

    @cuda.jit
    def block_sums(x, out):  # type: ignore[no-untyped-def]
        parts = cuda.shared.array(32, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        value = x[i]
        step = 16
        while step > 0:
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
            step //= 2
        if t % 32 == 0:
            parts[t // 32] = value
        cuda.syncthreads()
        if t < 32:
            value = parts[t] if t < cuda.blockDim.x // 32 else np.float32(0)
            step = 16
            while step > 0:
                value += cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
                step //= 2
            if t == 0:
                out[cuda.blockIdx.x] = value

    x = cuda.to_device(np.random.default_rng(1).random(1 << 20, dtype=np.float32))
    out = cuda.to_device(np.zeros(1 << 20, np.float32))
    return {
        "sums of warps": lambda: warp_sums[4096, 256](x, out),
        "prefix sums of warps": lambda: warp_prefixes[4096, 256](x, out),
        "sums of blocks": lambda: block_sums[4096, 256](x, out),
    }


if __name__ == "__main__":
    main()
