"""How long `advisor report`, `diff` and `budget` take with a history of 1,000 runs x 50 kernels.

    python benchmarks/history/commands.py [--runs 1000] [--kernels 50] [--times 5] [--keep FOLDER]

Builds a project with that many kernels in files of five and a history of measured runs: each fingerprint has
20 times, some 40 metrics and eight lines, as a profile of `kernels/` has. Every command is a process of
its own; printed are the least and the median of the wall times, which other work on the machine lengthens,
and the median of the processor times.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, LineMetrics, Run, RunFacts, Timing
from advisor.model.history.identity import Definition, functions
from advisor.model.history.store import HistoryStore

_HERE = Path(__file__).resolve().parents[2]
_PER_FILE = 5
_KERNEL = """
@cuda.jit
def kernel_{number}(a, b, out, scale):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        out[i, j] = total * scale
"""
_COUNTS = (
    "registers", "spill_store_bytes", "spill_load_bytes", "shared_bytes", "instructions", "fp32_instructions",
    "fp64_instructions", "conversion_instructions", "block_threads", "grid_blocks", "warp_instructions",
    "l1_sectors", "l2_sectors", "shared_wavefronts", "issue_slots", "fp32_slots", "loads_per_warp",
    "global_sectors_per_request", "waves_per_sm", "eligible_warps", "blocks_per_sm", "timed_launches",
)  # fmt: skip
_RATIOS = (
    "theoretical_occupancy", "achieved_occupancy", "warp_execution_efficiency", "l1_hit_rate", "l2_hit_rate",
    "coalescing_efficiency", "sm_throughput", "memory_throughput", "tensor_utilization", "stall_barrier",
    "stall_long_scoreboard", "stall_wait", "branch_efficiency", "dram_norm", "flop_norm",
)  # fmt: skip


def build(folder: Path, runs: int, kernels: int) -> None:
    """Write a project and its history into the folder."""
    (folder / "pyproject.toml").write_text("[tool.advisor]\n", encoding="utf-8")
    budgets = "".join(f'kernel_{number} = "{1 + number / 10:.1f} ms"\n' for number in range(kernels))
    (folder / "budgets.toml").write_text(f"[budgets]\n{budgets}", encoding="utf-8")
    found: list[tuple[str, Definition]] = []
    for first in range(0, kernels, _PER_FILE):
        name = f"kernels_{first}.py"
        those = range(first, min(first + _PER_FILE, kernels))
        text = "from numba import cuda\n\n" + "\n".join(_KERNEL.format(number=number) for number in those)
        (folder / name).write_text(text, encoding="utf-8")
        found += [(name, definition) for definition in functions(text)]
    store = HistoryStore(folder)
    chance = random.Random(1)
    for number in range(runs):
        fingerprints = tuple(full_fingerprint(at, *one, chance) for at, one in enumerate(found))
        facts = RunFacts(
            "profile", f"build {number}", "advisor profile .", 1.7e9 + 3600.0 * number, "a100-80gb",
            "NVIDIA A100-SXM4-80GB", {"numba-cuda": "0.30.4", "driver": "580.65.06"}, f"{number:040x}", False,
        )  # fmt: skip
        wall = sum(one.timing.mean for one in fingerprints if one.timing) * 1.3
        store.add_run(Run(facts, {"total_latency_ms": wall, "gpu_utilization": 0.77}, fingerprints))
    store.close()


def full_fingerprint(at: int, path: str, definition: Definition, chance: random.Random) -> Fingerprint:
    mean = (1.0 + at / 10) * chance.uniform(0.9, 1.1)
    samples = tuple(mean * chance.uniform(0.97, 1.03) for _ in range(20))
    timing = Timing(
        20, statistics.fmean(samples), statistics.median(samples), statistics.stdev(samples), min(samples),
        max(samples), samples,
    )  # fmt: skip
    metrics: dict[str, float | str | bool] = {name: float(chance.randrange(1, 100)) for name in _COUNTS}
    metrics |= {name: chance.random() for name in _RATIOS}
    metrics |= {"dram_bytes": 1e8 * mean, "flops": 1e9 * mean, "ai_flops_per_byte": 10.0}
    metrics |= {"latency_ms": mean, "launches": 1.0, "time_cv": 0.02, "time_mean_ms": mean}
    lines = tuple(
        LineMetrics(
            path, definition.line + 5, "access",
            {"requests": 1e5, "sectors_per_request": chance.uniform(1, 32), "ideal_sectors_per_request": 4.0,
             "array": array, "space": "global", "kind": kind},
        )
        for array in ("a", "b", "out", "total")
        for kind in ("load", "store")
    )  # fmt: skip
    identity = KernelIdentity(
        definition.name, path, definition.source_hash, ("array(float32, 2d, C)",) * 3 + ("float32",),
        (64, 64, 1), (16, 16, 1),
    )  # fmt: skip
    return Fingerprint(identity, "measured", 1, timing, metrics, lines, (), definition.line)


def measured(folder: Path, command: list[str], times: int) -> tuple[float, float, float]:
    """The least and the median wall time and the median processor time of a command, in seconds."""
    walls, processors = [], []
    environment = {**os.environ, "PYTHONPATH": str(_HERE), "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(times):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "advisor", *command], cwd=folder, env=environment, check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        walls.append(time.perf_counter() - begun)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime - used.ru_utime + after.ru_stime - used.ru_stime)
    return min(walls), statistics.median(walls), statistics.median(processors)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--kernels", type=int, default=50)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="a folder for the project; what lies there already is used")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        begun = time.perf_counter()
        if not (folder / "pyproject.toml").exists():
            build(folder, args.runs, args.kernels)
            print(f"built in {time.perf_counter() - begun:.0f} s")
        size = (folder / ".advisor" / "history.sqlite").stat().st_size
        print(f"{args.runs} runs x {args.kernels} kernels, {size / 1e6:.0f} MB; {args.times} times each")
        print(f"{'command':<32}{'least wall':>12}{'wall':>10}{'processor':>12}")
        for command in (
            ["--version"],
            ["report"],
            ["report", "latest"],
            ["report", "--format", "json"],
            ["diff", "latest~1", "latest"],
            ["diff", "1", "latest"],
            ["budget"],
        ):
            least, wall, processor = measured(folder, command, args.times)
            shown = f"advisor {' '.join(command)}"
            print(f"{shown:<32}{least:>10.2f} s{wall:>8.2f} s{processor:>10.2f} s", flush=True)


if __name__ == "__main__":
    main()
