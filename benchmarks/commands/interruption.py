"""Times what follows Ctrl-C: from the signal to the end of a command, and of every process that it started.

    python benchmarks/commands/interruption.py [--rounds N]

Each command is interrupted while it works: a check that reads, one that compiles, run, tune, verify and
profile of a kernel that does not end, and the import of a report that grows with --megabytes. Prints a table
of seconds, the bound is one.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_KERNEL = """\
import time
from pathlib import Path

import numpy as np
from numba import cuda


@cuda.jit
def kernel(x, steps):
    i = cuda.grid(1)
    if i < x.size:
        for _ in range(steps):
            x[i] = x[i] * x[i // 2] + 1


def workload():
    x = cuda.to_device(np.ones(32))
    kernel[1, 32](x, 1)
    Path("begun").touch()
    kernel[1, 32](x, 1 << 60)
"""
_BOUND_S = 1.0


@dataclass(frozen=True)
class Interrupted:
    """A command to interrupt once `begun` says so, in a folder that `fill` has filled."""

    name: str
    argv: tuple[str, ...]
    fill: Callable[[Path], None]
    begun: Callable[[Path, list[int]], bool]


def many_files(folder: Path) -> None:
    """Write files that a check takes long for."""
    body = _KERNEL.partition("def workload")[0]
    for number in range(400):
        kernels = body + body.partition("\n\n\n")[2].replace("def kernel", f"def kernel_{number}") * 10
        (folder / f"work_{number}.py").write_text(kernels)


def one_kernel(folder: Path) -> None:
    """Write a workload whose second launch does not end."""
    (folder / "work.py").write_text(_KERNEL)


def a_program(folder: Path) -> None:
    """Write a program whose second launch does not end."""
    (folder / "work.py").write_text(_KERNEL + "\n\nworkload()\n")


def a_report(megabytes: int) -> Callable[[Path], None]:
    """A trace of torch.profiler of so many megabytes."""

    def write(folder: Path) -> None:
        event = '{"ph": "X", "cat": "kernel", "name": "k%d", "ts": %d, "dur": 5, "args": {"grid": [1, 1, 1]}}'
        each = len(event) + 8
        with (folder / "trace.json").open("w") as file:
            file.write('{"traceEvents": [')
            file.write(", ".join(event % (n % 50, n) for n in range(megabytes * 1_000_000 // each)))
            file.write("]}")

    return write


def has_workers(_: Path, processes: list[int]) -> bool:
    """Whether a command has started others."""
    return len(processes) >= 3


def has_begun(folder: Path, processes: list[int]) -> bool:
    """Whether a kernel that does not end runs, here or in a copy of the folder."""
    cwds = [Path(f"/proc/{one}/cwd") for one in processes]
    return (folder / "begun").exists() or any((one / "begun").exists() for one in cwds)


def after(seconds: float) -> Callable[[Path, list[int]], bool]:
    """Whether some seconds have passed since the first question."""
    asked: list[float] = []

    def passed(_folder: Path, _processes: list[int]) -> bool:
        asked.append(time.monotonic())
        if asked[-1] - asked[0] < seconds:
            return False
        asked.clear()
        return True

    return passed


def commands(megabytes: int) -> list[Interrupted]:
    """The commands in order of the table."""
    source = ("check", ".", "--evidence", "source", "--no-cache")
    return [
        Interrupted("check, reading", source, many_files, has_workers),
        Interrupted("check, compiling", ("check", ".", "--no-run", "--no-cache"), many_files, has_workers),
        Interrupted("run", ("run", "--simulate", "work.py"), a_program, has_begun),
        Interrupted("check of a workload", ("check", "--no-cache", "work.py"), one_kernel, has_begun),
        Interrupted("tune", ("tune", "--no-cache", "work.py::kernel"), one_kernel, has_begun),
        Interrupted("verify", ("verify", "--simulate", "--no-cache", "work.py"), one_kernel, has_begun),
        Interrupted("profile", ("profile", "--simulate", "--no-store", "work.py"), one_kernel, has_begun),
        Interrupted(f"import of {megabytes} MB", ("import", "trace.json"), a_report(megabytes), after(3.0)),
    ]


def seconds_to_end(one: Interrupted) -> float:
    """The seconds from the signal until no process of the command lives.

    Raises:
        RuntimeError: the command ended before, or did not begin to work within two minutes.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pyproject.toml").write_text("[tool.advisor]\n")
        one.fill(folder)
        mark = f"{folder}-{time.monotonic_ns()}"
        environment = {**os.environ, "ADVISOR_BENCHMARK_MARK": mark, "HOME": name}
        command = [sys.executable, "-m", "advisor", *one.argv]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        ) as process:
            until = time.monotonic() + 120
            while not one.begun(folder, _processes(mark)):
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"{one.name}: ended, or did not begin, with status {process.poll()}")
                time.sleep(0.02)
            began = time.perf_counter()
            os.kill(process.pid, signal.SIGINT)
            process.wait()
            while _processes(mark):
                time.sleep(0.005)
            return time.perf_counter() - began


def _processes(mark: str) -> list[int]:
    return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit() and _has(one, mark)]


def _has(process: Path, mark: str) -> bool:
    try:
        state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z" and mark.encode() in (process / "environ").read_bytes()
    except OSError:
        return False


def main() -> None:
    """Interrupt each command some times and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=300)
    arguments = parser.parse_args()
    if sys.platform != "linux":
        sys.exit("it reads /proc")
    print(
        "| command | seconds to the end, median | most | within a second |\n|---|---:|---:|---|", flush=True
    )
    for one in commands(arguments.megabytes):
        found = [seconds_to_end(one) for _ in range(arguments.rounds)]
        within = "yes" if max(found) <= _BOUND_S else "no"
        print(f"| {one.name} | {statistics.median(found):.2f} | {max(found):.2f} | {within} |", flush=True)


if __name__ == "__main__":
    main()
