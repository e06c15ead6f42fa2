"""Times whole runs of the program, each beside what it is measured against, interleaved in one session.

    python benchmarks/commands/whole_runs.py start           advisor --version beside bare Python
    python benchmarks/commands/whole_runs.py kernels         advisor check kernels, no cache and all cached
    python benchmarks/commands/whole_runs.py source FOLDER   source evidence beside ruff on the same files
    python benchmarks/commands/whole_runs.py slowest FOLDER   the slowest files, one process, no cache

Prints a Markdown table of medians, and the median of the ratios of neighbouring runs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_ADVISOR = [sys.executable, "-m", "advisor"]
_ROOT = Path(__file__).resolve().parents[2]


def seconds(command: Sequence[str], folder: Path, cache: Path) -> float:
    """The wall time of a process; its output goes nowhere, 0 and 1 are good exit statuses."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache / "user")}
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    took = time.perf_counter() - began
    assert done.returncode in (0, 1), done.stderr.decode()[-2000:]
    return took


def table(rows: dict[str, list[float]], beside: str) -> None:
    """Print the medians and the ratios to the row called `beside`."""
    print("| run | seconds, median | least | most | ratio, median |")
    print("|---|---|---|---|---|")
    for name, times in rows.items():
        ratios = [own / other for own, other in zip(times, rows[beside], strict=True)]
        print(
            f"| {name} | {statistics.median(times):.3f} | {min(times):.3f} | {max(times):.3f} "
            f"| {statistics.median(ratios):.2f} |"
        )


def interleaved(runs: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """The times of each run, one of each in every round."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(run())
    return found


def start(rounds: int) -> None:
    """The start of the program beside that of Python."""
    with tempfile.TemporaryDirectory() as name:
        cache = Path(name)
        runs = {
            "python -c pass": lambda: seconds([sys.executable, "-c", "pass"], _ROOT, cache),
            "advisor --version": lambda: seconds([*_ADVISOR, "--version"], _ROOT, cache),
        }
        table(interleaved(runs, rounds), "python -c pass")


def kernels(rounds: int) -> None:
    """The reference workloads with compiled evidence, cold and warm; parsed rules are cold too at first."""
    times: dict[str, list[float]] = {"check kernels, nothing cached": [], "check kernels, all cached": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            cache = Path(name)
            option = ["--config", f'cache-dir="{cache / "results"}"']
            for row in times.values():
                row.append(seconds([*_ADVISOR, "check", "kernels", *option], _ROOT, cache))
    table(times, "check kernels, all cached")


def source(folder: Path, rounds: int) -> None:
    """Source evidence over a folder beside ruff, without a cache and with the cache of the run before."""
    check = [*_ADVISOR, "check", ".", "--evidence", "source", "--no-run", "--format", "concise"]
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "-q", "."]
    with tempfile.TemporaryDirectory() as name:
        cache = Path(name)
        option = ["--config", f'cache-dir="{cache / "results"}"']
        runs = {
            "ruff check --isolated --no-cache": lambda: seconds(ruff, folder, cache),
            "advisor check --evidence source --no-cache": lambda: seconds(
                [*check, "--no-cache"], folder, cache
            ),
            "the same, cached": lambda: seconds([*check, *option], folder, cache),
        }
        seconds([*check, *option], folder, cache)
        table(interleaved(runs, rounds), "ruff check --isolated --no-cache")


def slowest(folder: Path) -> None:
    """The files that cost most, in one process: reading, parsing, all records."""
    from advisor.evidence.source import analysis as module
    from advisor.evidence.source.file_analyser import FileAnalyser

    times: dict[Path, float] = {}

    class Timed(FileAnalyser):
        def host(self, file, *arguments):  # type: ignore[no-untyped-def]
            began = time.perf_counter()
            found = super().host(file, *arguments)
            times[file] = times.get(file, 0.0) + time.perf_counter() - began
            return found

        def kernels(self, file, *arguments):  # type: ignore[no-untyped-def]
            began = time.perf_counter()
            found = super().kernels(file, *arguments)
            times[file] = times.get(file, 0.0) + time.perf_counter() - began
            return found

    module.FileAnalyser = Timed  # type: ignore[misc]
    from advisor.model.processes.gc_paused import gc_paused

    with gc_paused():
        module.analyse(sorted(folder.rglob("*.py")), folder)
    print("| file | seconds |\n|---|---|")
    for file, took in sorted(times.items(), key=lambda item: -item[1])[:10]:
        print(f"| {file.relative_to(folder)} | {took:.2f} |")


def main() -> None:
    """Run the benchmark that is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["start", "kernels", "source", "slowest"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if given.what in ("source", "slowest"):
        if given.folder is None:
            parser.error(f"{given.what} needs a FOLDER")
        folder = given.folder.resolve()
        source(folder, given.rounds) if given.what == "source" else slowest(folder)
    else:
        (start if given.what == "start" else kernels)(given.rounds)


if __name__ == "__main__":
    main()
