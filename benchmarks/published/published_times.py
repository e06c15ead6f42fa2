"""Sets predicted times beside published measurements: the ratios of kernels that were measured together.

    python benchmarks/published/published_times.py [--numba] [--details] [FILE...]

`data/` holds the measurements, a file for each source and device (numbers only, with the address they were
read at), `published_sources.py` and `later_sources.py` the kernels in CUDA C++, as they were measured, and
`published_kernels.py` in Numba, whose 64-bit indices cost more. They run on the simulated GPU at the
published sizes; of large grids the blocks that are resident at first stand for all, or fewer where these
are too many. Of each two kernels of a set the ratio of their predicted times is compared with that of the
measured ones. The exponent that joins the times was not fitted to the groups whose half is "aside". Those
whose half is "later" were added when the model was finished, and nothing is fitted to them; their pairs are
of one set each. Prints Markdown: the ratios of each group, and the factors within which most of the open
ratios and times lie, beside those that are shipped.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import tomllib
from measured_errors import Time, milliseconds, within

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
warnings.simplefilter("ignore")

_SAMPLED = ("products", "reductions", "additions", "transposes_of_12800")
_SAMPLE_LANES = 60_000_000
# Ratios nearer to 1 tell no order.
_CLEAR = 1.15
_SECTOR = 32
# What a source sets for its launches: shared memory of a multiprocessor, the rest of which is L1.
_OF_A_LAUNCH = ("shared_bytes_per_sm",)
HALVES = ("open", "aside", "later")


@dataclass(frozen=True)
class Pair:
    """Two kernels of a set: the ratio of their measured and of their predicted times."""

    file: str
    group: str
    half: str
    kernels: tuple[str, str]
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """By how many times the predicted ratio is off, 0 for exact."""
        return math.exp(abs(math.log(self.predicted / self.measured))) - 1.0

    @property
    def log_error(self) -> float:
        """The logarithm of how many times as large the measured ratio is as the predicted one."""
        return math.log(self.measured / self.predicted)

    @property
    def is_clear(self) -> bool:
        """Whether the measured times differ by enough to tell an order."""
        return max(self.measured, 1.0 / self.measured) > _CLEAR

    @property
    def is_in_order(self) -> bool:
        """Whether the prediction says which of the two is faster."""
        return (self.measured > 1.0) == (self.predicted > 1.0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--details", action="store_true", help="the times of each kernel")
    parser.add_argument("--numba", action="store_true", help="the kernels' forms in Numba")
    parser.add_argument("files", nargs="*")
    given = parser.parse_args()
    pairs: list[Pair] = []
    times: list[Time] = []
    for file in sorted((HERE / "data").rglob("*.toml")):
        if not given.files or file.stem in given.files:
            pairs += _pairs(file, given.numba, given.details, times)
    _print(pairs)
    if not given.files:
        _print_errors(pairs, times)


def _pairs(file: Path, numba: bool, details: bool, known: list[Time]) -> Iterator[Pair]:
    """The pairs of a file; the times of its kernels are added to those that are known."""
    data = tomllib.loads(file.read_text("utf-8"))
    half, group = data["half"], ": ".join(data[key] for key in ("group", "kind") if key in data)
    measured = {one["kernel"]: one for one in data["measurement"]}
    changed = {name: data[name] for name in _OF_A_LAUNCH if name in data}
    for workload in data["workloads"]:
        predicted = predicted_ms(workload, data["gpu"], data.get("kept_in_l2", False), changed, numba)
        launch_ms = _launch_ms(data["gpu"])
        times = {
            name: (_time(measured[name]), _whole(ms, data, measured[name]["unit"], launch_ms))
            for name, ms in predicted.items()
            if name in measured
        }
        for name, (_, predicted_time) in times.items():
            one = measured[name]
            taken = milliseconds(float(one["value"]), one["unit"], one.get("work", data.get("work")))
            if taken is not None:
                known.append(Time(half, taken, predicted_time))
        if details:
            _print_details(file.stem, times)
        for left, right in combinations(times, 2):
            if half == "later" and measured[left]["set"] != measured[right]["set"]:
                continue
            (first, mine), (second, theirs) = times[left], times[right]
            yield Pair(file.stem, group, half, (left, right), first / second, mine / theirs)


def _time(measurement: dict[str, Any]) -> float:
    """The measured time in any unit; of a rate that of its work, or its inverse."""
    value, work = float(measurement["value"]), float(measurement.get("work", 1.0))
    if measurement["unit"] in ("ms", "us"):
        return value
    return value * work if measurement["unit"] == "cycles" else work / value


def _whole(ms: float, data: dict[str, Any], unit: str, launch_ms: float) -> float:
    """The predicted time of what was measured, which may be several times as large as what is launched."""
    return ms * float(data.get("of_size", 1.0)) + (0.0 if unit == "cycles" else launch_ms)


def _launch_ms(gpu: str) -> float:
    from advisor.evidence.metrics.times.resources import launch_time

    return launch_time(_device(gpu)) * 1e3


def predicted_ms(
    workload: str, gpu: str, kept_in_l2: bool, changed: dict[str, Any], numba: bool
) -> dict[str, float]:
    """The predicted milliseconds of a workload's kernels, by name, on a GPU with some numbers changed.

    Most of those that were added later are Numba's alone.
    """
    from later_kernels import LATER_WORKLOADS
    from later_sources import LATER_CUDA_WORKLOADS
    from published_kernels import WORKLOADS
    from published_sources import CUDA_WORKLOADS
    from simulated_gpu import machine

    from advisor.evidence.simulated.launches.close_looks import CloseLooks
    from advisor.evidence.simulated.launches.simt_executor import Limits

    executor, outcomes = machine()
    device = replace(_device(gpu), **changed)
    sampled = workload in LATER_WORKLOADS or workload.startswith(_SAMPLED)
    executor._device = device
    executor._limits = Limits(threads=2, sample_lanes=_SAMPLE_LANES if sampled else None, waves=True)
    found = {}
    every = WORKLOADS | LATER_WORKLOADS | ({} if numba else CUDA_WORKLOADS | LATER_CUDA_WORKLOADS)
    for name, (kernel, grid, block, arguments) in every[workload]().items():
        executor._looks = CloseLooks()
        outcomes.clear()
        kernel[grid, block](*arguments)
        registers = list(kernel.get_regs_per_thread().values())[-1]
        found[name] = _milliseconds(outcomes[-1], device, registers, kept_in_l2, _bytes(arguments))
    return found


def _device(name: str) -> Any:
    from advisor.model.devices import find_device

    own = tomllib.loads((HERE / "devices.toml").read_text("utf-8"))
    if name not in own:
        return find_device(name)
    values = dict(own[name])
    return replace(find_device(values.pop("like")), **values)


def _bytes(arguments: Iterable[Any]) -> int:
    return sum(getattr(one, "nbytes", 0) for one in arguments)


def _milliseconds(outcome: Any, device: Any, registers: int, kept_in_l2: bool, size: int) -> float:
    """The predicted time of a launch with so many bytes of arrays; of a sample of blocks, that of all."""
    from advisor.evidence.metrics.derived import theoretical_occupancy, timing
    from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings
    from advisor.model.records import Record
    from advisor.model.text.source_text import Span

    counted = _of_all_blocks(outcome.statistics, size)
    record = Record("kernel", "", "", Span(1), "")
    record.know("simulated", **kernel_readings(counted, device, True))
    record.know("compiled", registers=float(registers), shared_bytes=float(counted.shared_bytes))
    if kept_in_l2:
        record.know("simulated", dram_bytes=0.0)
    theoretical_occupancy.derive([record], device)
    timing.derive([record], device)
    return float(record.readings["predicted_ms"].value)


def _of_all_blocks(counted: Any, size: int) -> Any:
    """The counts of a sample as those of the whole grid, whose blocks are alike.

    Different sectors are at most those of so many bytes of arrays.
    """
    share = counted.blocks / counted.blocks_run
    if share == 1.0:
        return counted
    access = ("requests", "lanes", "bytes", "sectors", "lines", "ideal", "wavefronts", "ideal_wavefronts",
              "joined_requests", "joined_wavefronts", "distinct", "most_same")  # fmt: skip
    whole = (
        "warps",
        "warp_instructions",
        "lane_instructions",
        "barriers",
        *(() if counted.hottest_updates is None else ("hottest_updates", "hottest_slice_sectors")),
    )
    return replace(
        counted,
        blocks_run=counted.blocks,
        ended=True,
        accesses=[
            replace(one, **{name: round(getattr(one, name) * share) for name in access})
            for one in counted.accesses
        ],
        slots={name: round(count * share) for name, count in counted.slots.items()},
        **{
            name: min(round(getattr(counted, name) * share), size // _SECTOR)
            for name in ("loaded_sectors", "stored_sectors")
        },
        flops={name: round(count * share) for name, count in counted.flops.items()},
        **{name: round(getattr(counted, name) * share) for name in whole},
    )


def _print_details(file: str, times: dict[str, tuple[float, float]]) -> None:
    fastest = min(times, key=lambda name: times[name][0])
    told = (
        f"{name} {measured / times[fastest][0]:.2f} / {predicted / times[fastest][1]:.2f}"
        for name, (measured, predicted) in times.items()
    )
    print(f"{file}, measured / predicted: {', '.join(told)}\n")


def _print(pairs: Sequence[Pair]) -> None:
    for halves in (("open", "aside"), ("later",)):
        if not any(one.half in halves for one in pairs):
            continue
        print("| half | group | ratios | median error, % | clear orders right | worst ratio |")
        print("|---|---|---:|---:|---:|---|")
        for half in halves:
            these = [one for one in pairs if one.half == half]
            for group in sorted({one.group for one in these}):
                _print_row(half, group, [one for one in these if one.group == group])
            if these:
                _print_row(half, "**all**", these)
        print()


def _print_row(half: str, group: str, pairs: Sequence[Pair]) -> None:
    clear = [one for one in pairs if one.is_clear]
    worst = max(pairs, key=lambda one: one.error)
    print(
        f"| {half} | {group} | {len(pairs)} | {statistics.median(one.error for one in pairs) * 100:.0f} "
        f"| {sum(one.is_in_order for one in clear)} of {len(clear)} "
        f"| {' : '.join(worst.kernels)} of {worst.file} "
        f"{worst.measured:.2f}, predicted {worst.predicted:.2f} |"
    )


def _print_errors(pairs: Sequence[Pair], times: Sequence[Time]) -> None:
    from advisor.evidence.metrics.prediction_error import prediction_error

    known = prediction_error()
    ratio = within(*_by_half((one.half, one.log_error) for one in pairs), share=known.share)
    time = within(*_by_half((one.half, one.error) for one in times), share=known.share)
    held = f"{known.share:.0%} lie within"
    print(f"| | open | {held} | set aside | lie within it | added later | lie within it |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for what, found in (("ratios of two kernels", ratio), ("times of one kernel", time)):
        others = " | ".join(f"{count} | {inside}" for count, inside in found.others)
        print(f"| {what} | {found.open} | {found.factor:.2f} x | {others} |")
    print(f"\nprediction_error.toml: {known.ratio:.2f} x and {known.time:.2f} x.")
    print("\n| predicted ratio | open: order wrong | set aside: order wrong | added later: order wrong |")
    print("|---|---:|---:|---:|")
    bound = math.log(round(ratio.factor, 2))
    for words, beyond in (("within the factor of 1", False), ("beyond it", True)):
        counts = []
        for half in HALVES:
            these = [one for one in pairs if one.half == half]
            these = [one for one in these if (abs(math.log(one.predicted)) > bound) == beyond]
            counts.append(f"{sum(not one.is_in_order for one in these)} of {len(these)}")
        print(f"| {words} | {' | '.join(counts)} |")


def _by_half(errors: Iterable[tuple[str, float]]) -> list[list[float]]:
    found = list(errors)
    return [[error for half, error in found if half == one] for one in HALVES]


if __name__ == "__main__":
    main()
