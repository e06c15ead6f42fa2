"""Compares the time of an element at a filled device with the predicted time of a workload's true launches.

    python benchmarks/synthesis/element_times.py [--device NAME] WORKLOAD …

The true launches are those of `kernels/` on the simulated GPU; the others are made up, with their types
and blocks. Prints a row of a table for each kernel: blocks of its true launch over those that the device
holds, its time by thread, that of its counts in proportion to a grid that fills the device, the bounds of the
launch that is made up, and how far these are off the one before (1 inside of them).
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import warnings
from dataclasses import fields, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/evidence/simulated/synthesis")]

from true_and_made_up import Watched, request_of  # noqa: E402

from advisor.evidence.metrics.derived import derive_all  # noqa: E402
from advisor.evidence.metrics.times.filled_device import (  # noqa: E402
    OF_ANY_GRID,
    filled_device,
    waves_of_grid,
)
from advisor.evidence.metrics.times.launch_counts import counts_of  # noqa: E402
from advisor.evidence.metrics.times.possible_times import possible_time  # noqa: E402
from advisor.evidence.simulated.driver import device_properties, install  # noqa: E402
from advisor.evidence.simulated.launches.outcome import Outcome  # noqa: E402
from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings  # noqa: E402
from advisor.evidence.simulated.launches.simt_executor import Limits  # noqa: E402
from advisor.evidence.simulated.simt.residency import Residency  # noqa: E402
from advisor.evidence.simulated.synthesis.synthesise import synthesise  # noqa: E402
from advisor.model.devices import Device, find_device  # noqa: E402
from advisor.model.records import Record  # noqa: E402
from advisor.model.text.source_text import Span  # noqa: E402

_HEADS = ("kernel", "waves", "true, ps", "in proportion, ps", "made up, ps", "factor off")
_PICO = 1e12
_SECONDS = 400


def row(ptx: str, entry: str, outcome: Outcome, device: Device) -> str:
    """The row of a kernel."""
    counted = outcome.statistics
    assert counted is not None
    registers = float(Residency(None)._registers_of(device, ptx, entry))
    record = Record("kernel", "", "", Span(1), "")
    record.know("simulated", (), **kernel_readings(counted, device, same_device=True))
    record.know("compiled", (), registers=registers, shared_bytes=float(counted.shared_bytes))
    derive_all([record], device)
    counts = counts_of(record)
    true = possible_time((counts,), device)
    threads, blocks = counts.block_threads or 1.0, counts.grid_blocks or 1.0
    waves = blocks / ((counts.resident_blocks or 1.0) * (device.sm_count or 1))
    times = waves_of_grid() / waves
    names = {one.name for one in fields(counts)} - OF_ANY_GRID
    names -= {"registers", "resident_blocks", "theoretical_occupancy"}
    known = {name: getattr(counts, name) for name in names}
    scaled = {name: value * times for name, value in known.items() if value is not None}
    large = possible_time((replace(counts, **scaled),), device)
    assert true is not None and large is not None
    each, at_filled = (
        one.least / (threads * grid) * _PICO for one, grid in ((true, blocks), (large, blocks * times))
    )
    begin = f"| {outcome.note.function} | {waves:.2f} | {each:.3g} | {at_filled:.3g}, {large.limiters[0]} |"
    made = synthesise(request_of(ptx, entry, outcome))
    found = filled_device(made.work, registers, device)
    if found.time is None:
        return f"{begin} {made.unknown or found.unknown} | |"
    least, most = found.time.least * _PICO, found.time.most * _PICO
    off = max(at_filled / most, least / at_filled, 1.0)
    by = " or ".join(dict.fromkeys(found.time.limiters))
    return f"{begin} {least:.3g} to {most:.3g}, {by} | {off:.2f} |"


def rows_of(workload: str, device: Device) -> None:
    """Print the rows of a workload, of which the driver is simulated in this process."""
    warnings.simplefilter("ignore")
    machine = Watched()
    machine._limits = Limits(threads=1)
    machine._device = device
    install(machine, device_properties(device))
    made = importlib.import_module(f"kernels.{workload}").WORKLOAD
    for run in (made.run_first, made.run_improved):
        run(made.make_inputs("full"))
    for ptx, entry, outcome in machine.seen.values():
        print(row(ptx, entry, outcome, device), flush=True)


def main() -> None:
    """Print the table; each workload has a process of its own."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("workloads", nargs="+")
    parser.add_argument("--device", default="A100")
    parser.add_argument("--rows", action="store_true", help="of one workload, in this process")
    asked = parser.parse_args()
    if asked.rows:
        rows_of(asked.workloads[0], find_device(asked.device))
        return
    print(f"| {' | '.join(_HEADS)} |\n{'|---' * len(_HEADS)}|", flush=True)
    for one in asked.workloads:
        again = [sys.executable, __file__, one, "--device", asked.device, "--rows"]
        subprocess.run(again, check=False, timeout=_SECONDS)


if __name__ == "__main__":
    main()
