"""Reads made-up reports of profilers of a given size, and of an eighth of it, by `advisor import`.

    python benchmarks/commands/long_reports.py [FORMAT...] [--megabytes N] [--work FOLDER]

For each format two reports are written, one after the other, and read by a process of its own. Prints a
Markdown table: the size, the launches, the most memory of the process (`ru_maxrss`) beside what it takes for
the eighth, its processor seconds, and the ratio of the seconds for a megabyte of both: with the start of the
program in it, it is below 1 unless time grows faster than the report.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

_PART = 8
_KERNELS = [f"kernel_{number}(float *, const float *, int)" for number in range(40)]
_MEGABYTE = 1e6


@dataclass(frozen=True)
class Read:
    """One report as it was read: megabytes of file and memory, and processor seconds."""

    size: float
    launches: int
    memory: float
    seconds: float


def launches() -> Iterator[tuple[int, str, int, int]]:
    """Number, kernel, beginning and end in nanoseconds of launches without end."""
    draw, clock, number = random.Random(1), 1_000_000, 0
    while True:
        spent = draw.randrange(2_000, 90_000)
        yield number, draw.choice(_KERNELS), clock, clock + spent
        clock += spent + draw.randrange(500, 5_000)
        number += 1


def nsys_sqlite(path: Path, size: float) -> int:
    """An export with a launching call for each kernel, and ranges around every hundred."""
    with closing(sqlite3.connect(path)) as to:
        to.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, correlationId INT, "
            "globalPid INT, demangledName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, "
            "blockZ INT, registersPerThread INT, staticSharedMemory INT, dynamicSharedMemory INT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, nameId INT, correlationId INT, "
            "globalTid INT);"
            "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT);"
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)"
        )
        names = {name: number for number, name in enumerate((*_KERNELS, "cudaLaunchKernel"))}
        to.executemany("INSERT INTO StringIds VALUES (?, ?)", [(at, name) for name, at in names.items()])
        process, thread = 17 << 24, 17 << 24 | 7
        kernels: list[tuple[int, ...]] = []
        calls: list[tuple[int, ...]] = []
        ranges = []
        for number, name, start, end in launches():
            shape = (64, 1, 1, 256, 1, 1, 32, 0, 0)
            kernels.append((start, end, 0, number, process, names[name], *shape))
            calls.append((start - 400, start - 100, names["cudaLaunchKernel"], number, thread))
            if number % 100 == 0:
                ranges.append((start - 450, start - 50, 59, "step", thread))
            if number % 10_000 == 9_999:
                to.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({'?,' * 14}?)", kernels)
                to.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?)", calls)
                to.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?)", ranges)
                to.commit()
                kernels, calls, ranges = [], [], []
                if path.stat().st_size >= size:
                    return number + 1
    raise AssertionError


def nsys_trace(path: Path, size: float) -> int:
    """`nsys stats --report cuda_gpu_trace --format csv`."""

    def row(number: int, name: str, start: int, end: int) -> list[object]:
        grid = [number % 7 + 1, 1, 1, 128, 1, 1, 32, "0.000", "0.002"]
        return [start, end - start, number, *grid, "", "", "", "", "NVIDIA L4 (0)", 1, "", 7, name]

    header = (
        "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),"
        "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"
    )
    return _rows(path, size, [header.split(",")], row)


def rocprof_trace(path: Path, size: float) -> int:
    """`rocprofv3 --kernel-trace --output-format csv`."""

    def row(number: int, name: str, start: int, end: int) -> list[object]:
        return ["KERNEL_DISPATCH", "Agent 4", 1, 7, name, number, start, end, 0, 0, 256, 1, 1, 262_144, 1, 1]

    header = (
        "Kind,Agent_Id,Queue_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp,"
        "Private_Segment_Size,Group_Segment_Size,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,"
        "Grid_Size_X,Grid_Size_Y,Grid_Size_Z"
    )
    return _rows(path, size, [header.split(",")], row)


_IDENTITY = ["ID", "Process ID", "Process Name", "Kernel Name", "Block Size", "Grid Size", "CC"]


def _identity(number: int, name: str) -> list[object]:
    return [number, 17, "app", name, "(256, 1, 1)", "(64, 1, 1)", "8.0"]


def ncu_raw(path: Path, size: float) -> int:
    """`ncu --csv --page raw` with 240 counters, of which five become metrics."""
    known = {
        "gpu__time_duration.sum": "us",
        "launch__registers_per_thread": "register/thread",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": "%",
        "sm__warps_active.avg.pct_of_peak_sustained_active": "%",
        "dram__bytes_read.sum": "Mbyte",
    }
    others = [f"vendor__counter_{number}.sum" for number in range(235)]

    def row(number: int, name: str, start: int, end: int) -> list[object]:
        told = [f"{(end - start) / 1e3:.2f}", 32, "21.55", "48.10", "12.25"]
        return [*_identity(number, name), *told, *[f"{start % 997:,}"] * len(others)]

    head = [*_IDENTITY, *known, *others], [*[""] * len(_IDENTITY), *known.values(), *["inst"] * len(others)]
    return _rows(path, size, list(head), row)


def ncu_details(path: Path, size: float) -> int:
    """`ncu --csv --page details` with 60 rows for each launch."""
    known = [
        ("GPU Speed Of Light Throughput", "Compute (SM) Throughput", "%", "21.55"),
        ("Occupancy", "Achieved Occupancy", "%", "48.10"),
        ("Launch Statistics", "Registers Per Thread", "register/thread", "32"),
    ]
    known += [("Vendor", f"Counter {number}", "inst", "1,024") for number in range(56)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        write = csv.writer(stream, quoting=csv.QUOTE_ALL).writerow
        write([*_IDENTITY, "Section Name", "Metric Name", "Metric Unit", "Metric Value"])
        for number, name, start, end in launches():
            who = _identity(number, name)
            write([*who, "GPU Speed Of Light Throughput", "Duration", "us", f"{(end - start) / 1e3:.2f}"])
            for metric in known:
                write([*who, *metric])
            if stream.tell() >= size:
                return number + 1
    raise AssertionError


def ncu_source(path: Path, size: float) -> int:
    """`ncu --csv --page source --print-source cuda,sass`: 20 lines and 200 instructions for each launch."""
    header = [
        "Line No", "Source", "Address", "Source", "# Samples", "Instructions Executed",
        "L2 Theoretical Sectors Global", "L2 Theoretical Sectors Global Ideal", "stall_long_sb", "stall_wait",
    ]  # fmt: skip
    with path.open("w", newline="", encoding="utf-8") as stream:
        write = csv.writer(stream, quoting=csv.QUOTE_ALL).writerow
        for number, name, start, _ in launches():
            write(["Kernel Name", name])
            write(["File Path", "app.cu"])
            write(header)
            for line in range(20):
                write([line + 10, "y[i] += x[i];", "-", "-", start % 97 + line, "2,097,152", 8, 8, 20, 3])
                for at in range(10):
                    write(["...", "", hex(at * 16), "LDG.E R2, [R2.64]", 2, "1,024", 8, 8, 2, 1])
            if stream.tell() >= size:
                return number + 1
    raise AssertionError


def torch_trace(path: Path, size: float) -> int:
    """A trace of torch.profiler: for each kernel its call and eight operators on the host."""
    with path.open("w", encoding="utf-8") as stream:
        device = {"id": 0, "name": "NVIDIA L4", "computeMajor": 8, "computeMinor": 9}
        stream.write(f'{{"schemaVersion": 1, "deviceProperties": [{json.dumps(device)}], "traceEvents": [\n')
        for number, name, start, end in launches():
            _events(stream, number, name, start / 1e3, (end - start) / 1e3)
            if stream.tell() >= size:
                stream.write("\n]}\n")
                return number + 1
            stream.write(",\n")
    raise AssertionError


def _events(stream: TextIO, number: int, name: str, start: float, spent: float) -> None:
    def event(category: str, called: str, at: float, lasts: float, tid: int, **details: object) -> str:
        known = {"ph": "X", "cat": category, "name": called, "pid": 1, "tid": tid, "ts": at, "dur": lasts}
        return json.dumps({**known, "args": details})

    shape = {"grid": [10, 1, 1], "block": [128, 1, 1], "registers per thread": 30, "shared memory": 512}
    found = [event("cpu_op", f"aten::op_{at}", start - 1.0, 0.01, 100) for at in range(8)]
    found.append(event("cuda_runtime", "cudaLaunchKernel", start - 0.4, 0.3, 100, correlation=number))
    found.append(event("kernel", name, start, spent, 7, correlation=number, **shape))
    stream.write(",\n".join(found))


def _rows(
    path: Path,
    size: float,
    head: list[list[str]],
    row: Callable[[int, str, int, int], list[object]],
) -> int:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerows(head)
        for number, name, start, end in launches():
            writer.writerow(row(number, name, start, end))
            if stream.tell() >= size:
                return number + 1
    raise AssertionError


_FORMATS: dict[str, tuple[str, Callable[[Path, float], int]]] = {
    "nsys-sqlite": ("sqlite", nsys_sqlite),
    "nsys-trace": ("csv", nsys_trace),
    "torch-trace": ("json", torch_trace),
    "rocprof-trace": ("csv", rocprof_trace),
    "ncu-raw": ("csv", ncu_raw),
    "ncu-details": ("csv", ncu_details),
    "ncu-source": ("csv", ncu_source),
}


def read(name: str, size: float, folder: Path) -> Read:
    """Write a report of this size and read it. Raises AssertionError where the import fails."""
    ending, write = _FORMATS[name]
    report = folder / f"report.{ending}"
    report.unlink(missing_ok=True)
    number = write(report, size)
    command = [sys.executable, "-m", "advisor", "import", report.name, "--no-store", "-q"]
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), (folder / "said").read_text()[-2000:]
    megabytes = report.stat().st_size / _MEGABYTE
    report.unlink()
    return Read(megabytes, number, used.ru_maxrss * 1024 / _MEGABYTE, used.ru_utime + used.ru_stime)


def main() -> int:
    """0 when every report could be read."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("formats", metavar="FORMAT", nargs="*", help=", ".join(_FORMATS))
    parser.add_argument("--megabytes", type=float, default=200.0)
    parser.add_argument("--work", type=Path, help="where reports are written (default: a temporary folder)")
    given = parser.parse_args()
    if unknown := set(given.formats) - set(_FORMATS):
        parser.error(f"{', '.join(sorted(unknown))}: the formats are {', '.join(_FORMATS)}")
    print("| report | MB | launches | most memory, MB | of an eighth, MB | processor seconds | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    size = given.megabytes * _MEGABYTE
    for name in given.formats or _FORMATS:
        with tempfile.TemporaryDirectory(dir=given.work) as folder:
            part, whole = (read(name, one, Path(folder)) for one in (size / _PART, size))
        ratio = (whole.seconds / whole.size) / (part.seconds / part.size)
        print(
            f"| {name} | {whole.size:,.0f} | {whole.launches:,} | {whole.memory:.0f} | {part.memory:.0f} "
            f"| {whole.seconds:.0f} | {ratio:.2f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
