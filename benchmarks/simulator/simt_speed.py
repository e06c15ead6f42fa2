"""Times the SIMT machine beside Numba's simulator, in one run.

    python benchmarks/simulator/simt_speed.py [--repeat N] [NAME…]
    python benchmarks/simulator/simt_speed.py --sample    samples of blocks, and their error
    python benchmarks/simulator/simt_speed.py --all       the nine workloads in two processes, cold and warm
    python benchmarks/simulator/simt_speed.py --codes     first code beside optimised code

Each kernel runs at a small size on both, and at its full size on the machine with counters and bounds
checks. The simulator's time at full size is that of the small one, scaled by lane instructions. The nine
workloads of `kernels/` are taken with both versions. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
warnings.simplefilter("ignore")
# What an editor can wait for.
SAMPLE_LANES = 20_000_000


def main() -> None:
    """Print the table, or with --simulator the seconds of one launch on Numba's simulator."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--simulator", metavar="NAME", help="time one kernel on Numba's simulator")
    parser.add_argument("--sample", action="store_true", help="time samples of blocks, and their error")
    parser.add_argument("--all", action="store_true", help="time all workloads, cold and warm")
    parser.add_argument("--codes", action="store_true", help="time first code beside optimised code")
    parser.add_argument("--part", nargs=2, metavar=("N", "STORE"), help="run each second workload")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    if given.part:
        print(*_part(int(given.part[0]), Path(given.part[1])))
        return
    if given.all:
        _print_all(given.repeat)
        return
    if given.codes:
        _print_codes(given.repeat, given.names)
        return
    if given.simulator:
        print(_seconds(dict(_launches())[given.simulator][1]))
        return
    if given.sample:
        _print_samples(given.repeat)
        return
    rows = list(_rows(given.repeat, given.names))
    print("| kernel | JIT, ms | one thread, ms | G lane instr./s | two threads | simulator, s | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name, jit, one, rate, two, slow in rows:
        print(
            f"| {name} | {jit * 1e3:.0f} | {one * 1e3:.1f} | {rate / 1e9:.2f} | {one / two:.2f} times "
            f"| {slow:,.1f} | {slow / one:,.0f} |"
        )
    ratios = [slow / one for _, _, one, _, _, slow in rows]
    rates = [rate for _, _, _, rate, _, _ in rows]
    print(f"\nGeometric means: {_mean(ratios):,.0f} times the simulator, ", end="")
    print(f"{_mean(rates) / 1e9:.2f} G lane instructions a second on one thread.")


def _mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _launches() -> Iterator[tuple[str, tuple[Callable[[], Any], Callable[[], Any]]]]:
    """The launches by name: at full size, and at one for the simulator."""
    from simt_kernels import KERNELS

    from kernels import workloads

    for name, (launch, full, small) in KERNELS.items():
        yield name, (_bound(launch, full), _bound(launch, small))
    for workload in workloads():
        for version in ("first", "improved"):
            run = getattr(workload, f"run_{version}")
            sizes = [_bound(run, workload.make_inputs(scale)) for scale in ("full", "reduced")]
            yield f"{workload.name}, {version}", (sizes[0], sizes[1])


def _bound(launch: Callable[[Any], Any], argument: Any) -> Callable[[], Any]:
    return lambda: launch(argument)


def _rows(repeat: int, names: list[str]) -> Iterator[tuple[str, float, float, float, float, float]]:
    from advisor.evidence.simulated.driver import device_properties, install
    from advisor.evidence.simulated.launches.outcome import Outcome
    from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
    from advisor.model.devices import find_device

    device = find_device("A100")
    outcomes: list[Outcome] = []
    executor = SimtExecutor(device, outcomes.append, Limits(threads=1, detailed_lanes=0))
    install(executor, device_properties(device))

    def measured(work: Callable[[], Any], threads: int) -> tuple[float, int]:
        """Seconds on the machine, and lane instructions, of all launches in a piece of work."""
        executor._limits = Limits(threads=threads, detailed_lanes=0)
        outcomes.clear()
        work()
        lanes = sum(one.statistics.lane_instructions for one in outcomes if one.statistics)
        return sum(one.seconds for one in outcomes), lanes

    for name, (full, small) in _launches():
        if names and name not in names:
            continue
        first, few = measured(small, 1)
        again = min(measured(small, 1)[0] for _ in range(repeat))
        runs = [measured(full, 1) for _ in range(repeat)]
        one, lanes = min(runs)
        two = min(measured(full, 2)[0] for _ in range(repeat))
        slow = _simulator(name) * lanes / few
        yield name, first - again, one, lanes / one, two, slow


def _print_codes(repeat: int, names: list[str]) -> None:
    """Print processor time of launches at full size by first and by optimised code, in turns."""
    from advisor.evidence.simulated.driver import device_properties, install
    from advisor.evidence.simulated.launches.outcome import Outcome
    from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
    from advisor.model.devices import find_device

    device = find_device("A100")
    outcomes: list[Outcome] = []
    executor = SimtExecutor(device, outcomes.append, Limits(threads=1, detailed_lanes=0))
    install(executor, device_properties(device))
    print(
        "| kernel | optimising, ms | first code, ms | optimised, ms | ratio | G lane instr./s | optimised |"
    )
    print("|---|---|---|---|---|---|---|")
    rates: list[tuple[float, float]] = []
    for name, (full, small) in _launches():
        if names and name not in names:
            continue
        executor._kernels.clear()
        small()
        kernels = list(executor._kernels.values())
        first = [kernel.code for kernel in kernels]
        optimising = _processor_seconds(lambda found=kernels: [kernel.optimise() for kernel in found])
        codes = (first, [kernel.code for kernel in kernels])
        least = [math.inf, math.inf]
        for _ in range(repeat):
            for place, code in enumerate(codes):
                for kernel, loaded in zip(kernels, code, strict=True):
                    kernel.code = loaded
                outcomes.clear()
                least[place] = min(least[place], _processor_seconds(full))
        lanes = sum(one.statistics.lane_instructions for one in outcomes if one.statistics)
        rates.append((lanes / least[0], lanes / least[1]))
        print(
            f"| {name} | {optimising * 1e3:.0f} | {least[0] * 1e3:.1f} | {least[1] * 1e3:.1f} "
            f"| {least[0] / least[1]:.2f} | {rates[-1][0] / 1e9:.2f} | {rates[-1][1] / 1e9:.2f} |",
            flush=True,
        )
    means = [_mean([pair[place] for pair in rates]) for place in (0, 1)]
    print(f"\nGeometric means: ratio {means[1] / means[0]:.2f}, {means[0] / 1e9:.2f} and ", end="")
    print(f"{means[1] / 1e9:.2f} G lane instructions a second.")


def _processor_seconds(work: Callable[[], Any]) -> float:
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def _print_all(repeat: int) -> None:
    """Print the time of all workloads, both versions, all metrics, in two processes side by side."""
    print("| code on disk | seconds of the slower process | most memory of a launch, MB |\n|---|---|---|")
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as store:
            for state in ("none", "all"):
                command = [sys.executable, __file__, "--part"]
                runs = [
                    subprocess.Popen([*command, str(number), store], stdout=subprocess.PIPE, text=True)
                    for number in range(2)
                ]
                ended = [run.communicate()[0].split() for run in runs]
                seconds, memory = (max(float(one[place]) for one in ended) for place in (0, 1))
                print(f"| {state} | {seconds:.2f} | {memory:.0f} |")


def _part(number: int, store: Path) -> tuple[float, float]:
    """Seconds that the machine spent on each second workload, and the most megabytes a launch took."""
    from advisor.evidence.simulated.driver import device_properties, install
    from advisor.evidence.simulated.launches.outcome import Outcome
    from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
    from advisor.model.devices import find_device
    from advisor.model.storage.cache import Cache
    from kernels import workloads

    device = find_device("A100")
    outcomes: list[Outcome] = []
    executor = SimtExecutor(device, outcomes.append, Limits(threads=1), Cache(store))
    most = 0.0
    launch = executor.launch

    def measured(*arguments: Any) -> None:
        nonlocal most
        Path("/proc/self/clear_refs").write_text("5")
        before = _status("VmRSS")
        launch(*arguments)
        most = max(most, _status("VmHWM") - before)

    executor.launch = measured  # type: ignore[method-assign]
    install(executor, device_properties(device))
    for workload in workloads()[number::2]:
        inputs = workload.make_inputs("full")
        workload.run_first(inputs)
        workload.run_improved(inputs)
    return sum(one.seconds for one in outcomes), most


def _status(name: str) -> float:
    """Megabytes of this process by the name that Linux gives them."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(name))


_FIGURES = ("warp_execution_efficiency", "global_sectors_per_request", "coalescing_efficiency", "shared_ways",
            "loads_per_warp", "atomic_lanes_per_address")  # fmt: skip


def _print_samples(repeat: int) -> None:
    """Print how long samples of blocks take, and how far their figures lie from those of whole grids."""
    from advisor.evidence.simulated.driver import device_properties, install
    from advisor.evidence.simulated.launches.outcome import Outcome
    from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings
    from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
    from advisor.model.devices import find_device

    device = find_device("A100")
    outcomes: list[Outcome] = []
    executor = SimtExecutor(device, outcomes.append, Limits(threads=1))
    install(executor, device_properties(device))
    print("| kernel | blocks | in the sample | ms | largest error, % | of |\n|---|---|---|---|---|---|")

    def launched(limits: Limits, work: Callable[[], Any]) -> tuple[float, Any, dict[str, Any]]:
        executor._limits = limits
        outcomes.clear()
        work()
        heaviest = max((one for one in outcomes if one.statistics), key=lambda one: one.seconds)
        return heaviest.seconds, heaviest.statistics, kernel_readings(heaviest.statistics, device, True)

    for name, (full, _) in list(_launches())[-18:]:
        _, whole, exact = launched(Limits(threads=1), full)
        sample = Limits(threads=1, detailed_lanes=0, sample_lanes=SAMPLE_LANES)
        runs = [launched(sample, full) for _ in range(repeat)]
        seconds, part, figures = min(runs, key=lambda one: one[0])
        errors = {
            figure: abs(float(figures[figure]) / float(exact[figure]) - 1.0)
            for figure in _FIGURES
            if exact[figure] and figures[figure] is not None
        }
        worst = max(errors, key=lambda figure: errors[figure])
        print(
            f"| {name} | {whole.blocks} | {part.blocks_run} | {seconds * 1e3:.0f} "
            f"| {errors[worst] * 100:.1f} | {worst} |"
        )


def _simulator(name: str) -> float:
    """The seconds of the small launch on Numba's simulator, in a process of its own."""
    ended = subprocess.run(
        [sys.executable, __file__, "--simulator", name],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(ended.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
