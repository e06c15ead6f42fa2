"""Checks kernels with simulation by processes and by clusters of this machine; times tasks that only wait.

    python benchmarks/public_code/fleet.py kernels FILE... [--copies N] [--different N] [--workers 1 2 4]
    python benchmarks/public_code/fleet.py waiting [--tasks 10000] [--milliseconds 20] [--bytes 8000]
        [--workers 1 2 4]

`kernels` copies the files into N folders. In the first `--different` of them the functions have names of
their own, so each kernel is another one, compiled and run for itself; those of all further copies are equal
to the letter, compiled and run once. Rows: this machine's processes (0 workers), then clusters; all reports
must be equal. Processor seconds are those of all processes, bytes what tasks and results take, packed.
`waiting` gives each worker tasks that carry so many bytes and wait: what is beyond the wait is what giving,
taking and fetching costs.
Needs the extra `cluster`. Prints Markdown.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from advisor.check.pipeline import Check
from advisor.model.processes.units_of_work import Executor, Task, content_key
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.model.settings.file_discovery import find_files
from advisor.model.text.syntax_trees import syntax_tree
from advisor.reports.outputs import RenderOptions, render_report
from advisor.reports.rule_pages.catalogue import catalogue_of
from advisor.runs.fleet.opening import opened

# The time limit of made-up launches must not decide what is compared.
_SECONDS = 36_000.0


def checked(project: Path, executor: Executor | None) -> tuple[str, int]:
    """The report as JSON, and its number of kernels."""
    settings = replace(load_config(project), synthesis_seconds=_SECONDS)
    options = CheckOptions(
        "a100-80gb", project, "simulated", synthesis=True, settings=settings, executor=executor, jobs=2
    )
    check = Check(list(find_files([project]).files), options)
    report = check.run().report
    text = render_report("json", report, catalogue_of(check.rulebook), RenderOptions())
    return text, int(str(report.summary["kernels"]))


def processor_seconds() -> float:
    """What this process and all below it have taken, those that have ended included."""
    own = psutil.Process()
    found = 0.0
    for process in [own, *own.children(recursive=True)]:
        try:
            found += sum(process.cpu_times()[:4])
        except psutil.Error:
            continue
    return found


def renamed(text: str, prefix: str) -> str:
    """The text with `prefix` before the name of each function at its top, wherever the name stands.

    So a `workload` has another name too, is not run, and launches are made up.
    """
    functions = [node.name for node in syntax_tree(text).body if isinstance(node, ast.FunctionDef)]
    return re.sub(rf"\b({'|'.join(functions)})\b", rf"{prefix}\1", text) if functions else text


def kernels(files: list[Path], copies: int, different: int, workers: list[int]) -> None:
    """A row for each number of workers; 0 are this machine's processes."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "project"
        for copy in range(copies):
            folder = project / f"copy_{copy:05}"
            folder.mkdir(parents=True)
            for file in files:
                text = file.read_text("utf-8")
                prefix = f"copy_{copy:05}_" if copy < different else "same_"
                (folder / file.name).write_text(renamed(text, prefix), "utf-8")
        (project / ".git").mkdir()
        os.chdir(project)
        print("| who | kernels | seconds | processor seconds | sent, kB | received, kB | report |")
        print("|---|---|---|---|---|---|---|", flush=True)
        first = ""
        for number in workers:
            before, began = processor_seconds(), time.perf_counter()
            with opened(f"local:{number}" if number else None) as executor:
                text, count = checked(project, executor)
                took, used = time.perf_counter() - began, processor_seconds() - before
                sent, received = (
                    getattr(executor, name, 0) / 1e3 for name in ("sent_bytes", "received_bytes")
                )
            first = first or text
            who = f"{number} workers" if number else "2 processes"
            same = "equal" if text == first else "DIFFERS"
            print(
                f"| {who} | {count} | {took:.1f} | {used:.1f} | {sent:.0f} | {received:.0f} | {same} |",
                flush=True,
            )


def waited(seconds: float, data: bytes) -> bytes:
    """What a kernel's task does, without the work."""
    time.sleep(seconds)
    return data


def waiting(count: int, seconds: float, size: int, workers: list[int]) -> None:
    """A row for each number of workers."""
    print(
        "| workers | tasks | seconds | waited, s for each worker | efficiency | for each task, ms | sent, MB "
        "| received, MB |"
    )
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for number in workers:
        with opened(f"local:{number}") as executor:
            assert executor is not None
            tasks: Any = (
                Task(content_key("wait", number, one), waited, (seconds, os.urandom(size)))
                for one in range(count)
            )
            began = time.perf_counter()
            done = sum(1 for _ in executor.results(tasks))
            took = time.perf_counter() - began
            sent, received = (getattr(executor, name) / 1e6 for name in ("sent_bytes", "received_bytes"))
        least = seconds * count / number
        assert done == count
        print(
            f"| {number} | {count} | {took:.1f} | {least:.1f} | {least / took:.2f} "
            f"| {(took - least) * number / count * 1e3:.2f} | {sent:.1f} | {received:.1f} |",
            flush=True,
        )


def main() -> None:
    """Run the benchmark that is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["kernels", "waiting"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--different", type=int, default=0)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2, 4])
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--milliseconds", type=float, default=20.0)
    parser.add_argument("--bytes", type=int, default=8_000)
    given = parser.parse_args()
    if given.what == "kernels":
        kernels([one.resolve() for one in given.files], given.copies, given.different, given.workers)
    else:
        waiting(given.tasks, given.milliseconds / 1e3, given.bytes, [one for one in given.workers if one])


if __name__ == "__main__":
    main()
