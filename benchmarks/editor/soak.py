"""Editor, cluster and history at work together for hours: does anything grow?

    python benchmarks/editor/soak.py [--hours 2] [--pause 30] [--samples FILE]

One project, and in it for the whole time: a language server in which a file of 1,000 lines is written,
saved, asked about (hovers, lenses, hints, actions) and closed and opened again; a command that holds a
cluster of two workers and has a kernel compiled and simulated there that is another one each time; a
recorder that keeps the history open, adds a run and reads it. Every tenth turn `advisor import`, `report`,
`diff` and `budget` run on that history as processes of their own. Between two turns nothing is asked, and
at the end of each pause the processes are looked at: memory that is theirs alone (USS), open files,
threads, number of processes. Prints Markdown: the level after the first quarter of the time, the level of
the last quarter, growth an hour, and a verdict; exit status 1 when something grows. Needs the extra
`cluster` and Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from editor_client import Client, Document
from editor_edits import Edit, edits
from editor_text import benchmark_text
from soak_growth import growth

_ROOT = Path(__file__).resolve().parents[2]
_ADVISOR = [sys.executable, "-m", "advisor"]
_REPORTS = ("case-study-before.csv", "case-study-after.csv")
_COMMANDS_EACH = 10
_REOPENED_EACH = 5
_CLUSTER_EACH = 3
# Growth an hour that counts: MB and share of the level, then things of which there are whole numbers.
_MEMORY = (4.0, 0.03)
_WHOLE = (0.5, 0.0)
NUMBERS = {"memory, MB": _MEMORY, "open files": _WHOLE, "threads": _WHOLE, "processes": _WHOLE}


@dataclass
class Samples:
    """What was seen of one part: a row for each of NUMBERS, and the seconds at which."""

    times: list[float] = field(default_factory=list)
    rows: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in NUMBERS})

    def take(self, at: float, processes: Sequence[psutil.Process]) -> None:
        """Look at processes, of which some may end meanwhile."""
        sums = dict.fromkeys(NUMBERS, 0.0)
        for process in processes:
            try:
                seen = (process.memory_full_info().uss / 1e6, process.num_fds(), process.num_threads(), 1)
            except psutil.Error:
                continue
            for name, value in zip(NUMBERS, seen, strict=True):
                sums[name] += value
        self.times.append(at)
        for name, value in sums.items():
            self.rows[name].append(value)


class Part:
    """A process of `soak_parts.py`, given a number and waited for."""

    def __init__(self, name: str, folder: Path, environment: dict[str, str]) -> None:
        command = [sys.executable, str(Path(__file__).parent / "soak_parts.py"), name, str(folder)]
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=environment, text=True
        )

    def work(self, number: int) -> str:
        """What it says when the work is done; raises SystemExit where it ended."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        if not said:
            raise SystemExit(f"{self.name} ended with {self.process.wait()}")
        return said.strip()

    def end(self) -> None:
        """Let it end by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


class Editor:
    """The language server and the file that is written in it."""

    def __init__(self, folder: Path, caches: Path) -> None:
        self.client = Client([*_ADVISOR, "server"], folder, caches=caches)
        self.text = benchmark_text()
        self.document = Document(self.client, "kernels20.py", self.text)
        self.document.diagnostics()
        self.typed = edits(self.text)
        self.asked = 0

    def work(self, number: int) -> None:
        """One statement typed, questions, a kernel changed, saved, compiled, and changed back."""
        for edit in _statement(self.typed):
            self._change(edit)
        lines = self.document.text.split("\n")
        kernel = next(at for at, line in enumerate(lines) if "def vector_add_vector_add_first" in line) + 1
        self._change(Edit(kernel, 0, kernel, 0, f"    a[0] = cuda.threadIdx.x * {number + 3}\n"))
        self.document.save()
        self._questions(kernel)
        self._change(Edit(kernel, 0, kernel + 1, 0, ""))
        self.document.save()
        if self.document.text != self.text:
            raise SystemExit("the document is not what it was")
        if number % _REOPENED_EACH == 0:
            name = {"textDocument": {"uri": self.document.uri}}
            self.client.notify("textDocument/didClose", name)
            self.document = Document(self.client, "kernels20.py", self.text)
            self.document.diagnostics()
        self.client.forget()

    def _change(self, edit: Edit) -> None:
        self.document.replace(edit.line, edit.column, edit.end_line, edit.end_column, edit.text)
        self.document.diagnostics()
        self.asked += 1

    def _questions(self, line: int) -> None:
        named = {"textDocument": {"uri": self.document.uri}}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 400, "character": 0}}
        self.client.ask("textDocument/codeLens", named)
        self.client.ask("textDocument/inlayHint", {**named, "range": whole})
        for at in range(line, line + 6):
            self.client.ask("textDocument/hover", self.document.at(at, 8))
        for item in self.document.last[:3]:
            context = {"range": item["range"], "context": {"diagnostics": [item]}}
            self.client.ask("textDocument/codeAction", {**named, **context})
        self.asked += 8 + min(len(self.document.last), 3)


def _statement(typed: Iterator[Edit]) -> Iterator[Edit]:
    """The edits until the line that was begun is removed again."""
    for edit in typed:
        yield edit
        if edit.text == "":
            return


def commands(folder: Path, environment: dict[str, str]) -> None:
    """What a job does with the history; each command ends, with 0 or 1."""
    reports = [str(_ROOT / "tests" / "data" / "reports" / name) for name in _REPORTS]
    for words in (["import", *reports], ["report"], ["diff", "latest~1", "latest"], ["budget"]):
        done = subprocess.run(
            [*_ADVISOR, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True
        )
        if done.returncode not in (0, 1):
            raise SystemExit(f"advisor {' '.join(words)}: {done.stderr.decode()[-2000:]}")


def parts_of(process: psutil.Process) -> dict[str, list[psutil.Process]]:
    """A process, and all below it."""
    try:
        return {"": [process], " below": process.children(recursive=True)}
    except psutil.Error:
        return {"": [], " below": []}


def soak(folder: Path, hours: float, pause: float, kept: Path | None) -> dict[str, Samples]:
    """The samples of each part; `kept` gets them after every turn, so that they outlive what ends this."""
    caches = folder.parent
    environment = {**os.environ, "XDG_CACHE_HOME": str(caches / "cache"), "PYTHONPATH": str(_ROOT)}
    editor = Editor(folder, caches)
    cluster, history = (Part(name, folder, environment) for name in ("cluster", "history"))
    watched = {
        "editor": editor.client.process.pid,
        "cluster": cluster.process.pid,
        "history": history.process.pid,
    }
    samples: dict[str, Samples] = {}
    began, number = time.monotonic(), 0
    try:
        while (at := time.monotonic() - began) < hours * 3600:
            editor.work(number)
            history.work(number)
            if number % _CLUSTER_EACH == 0:
                cluster.work(number)
            if number % _COMMANDS_EACH == 0:
                commands(folder, environment)
            time.sleep(max(pause / 3, began + at + pause - time.monotonic()))
            now = time.monotonic() - began
            for name, pid in watched.items():
                for suffix, processes in parts_of(psutil.Process(pid)).items():
                    samples.setdefault(name + suffix, Samples()).take(now, processes)
            number += 1
            if kept:
                rows = {name: {"seconds": one.times, **one.rows} for name, one in samples.items()}
                kept.write_text(json.dumps(rows), encoding="utf-8")
    finally:
        cluster.end()
        history.end()
        editor.client.stop()
    size = sum(file.stat().st_size for file in (folder / ".advisor").rglob("*") if file.is_file()) / 1e6
    print(
        f"{(time.monotonic() - began) / 3600:.2f} hours, {number} turns, {editor.asked} edits and questions;"
    )
    print(f".advisor holds {size:.1f} MB at the end.\n")
    return samples


def table(samples: dict[str, Samples]) -> bool:
    """Print the rows; whether any of them grows."""
    print("| part | what | after a quarter of the time | in the last quarter | growth an hour | verdict |")
    print("|---|---|---:|---:|---:|---|")
    any_grows = False
    for part, seen in samples.items():
        if not any(seen.rows["processes"]):
            continue
        for name, (bound, share) in NUMBERS.items():
            found = growth(seen.times, seen.rows[name], bound, share)
            verdict = "grows" if found.grows else "does not grow"
            any_grows |= found.grows
            row = f"{found.first:.1f} | {found.last:.1f} | {found.per_hour:+.2f} | {verdict} |"
            print(f"| {part} | {name} | {row}")
    return any_grows


def main() -> None:
    """Soak, print, and end with 1 when something grows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--pause", type=float, default=30.0, help="seconds from one turn to the next")
    parser.add_argument("--samples", type=Path, help="a file of JSON that gets all samples after each turn")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        shutil.copytree(_ROOT / "kernels", folder)
        (folder / ".git").mkdir()
        found = soak(folder, given.hours, given.pause, given.samples)
    sys.exit(table(found))


if __name__ == "__main__":
    main()
