"""Times the language server while a file of 1,000 lines with 20 kernels is written, beside other servers.

    python benchmarks/editor/editor.py                 300 edits and the memory of 1,000
    python benchmarks/editor/editor.py --whole         the memory of 10,000 edits
    python benchmarks/editor/editor.py --write         writes docs/benchmarks/editor.md

Each server is a process at the end of a pipe and gets the same edits; the next edit comes when the
diagnostics of the former have come. Diagnostics are asked for where the server answers that, so no server
waits before it begins.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editor_client import Client, Document
from editor_edits import edits
from editor_text import benchmark_text

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "editor.md"
_SERVERS = {
    "advisor server": [sys.executable, "-m", "advisor", "server"],
    "ruff server": ["ruff", "server"],
    "basedpyright": ["basedpyright-langserver", "--stdio"],
}
_OURS = "advisor server"
_NAME = "kernels20.py"
# What a client waits before it opens a file in every other session.
_WHILE = 3.0


@dataclass
class Measured:
    """Seconds of one server; memory in bytes, CPU as a share of one core."""

    ready: list[float] = field(default_factory=list)
    start_work: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    first_later: list[float] = field(default_factory=list)
    first_work: list[float] = field(default_factory=list)
    keystrokes: list[float] = field(default_factory=list)
    hovers: list[float] = field(default_factory=list)
    actions: list[float] = field(default_factory=list)
    compiled: list[float] = field(default_factory=list)
    work: float = 0.0
    idle: float = 0.0
    memory_half: int = 0
    memory: int = 0
    memory_of_helpers: int = 0
    edits: int = 0

    def growth(self) -> float | None:
        """How many MB more are in use after the second half of the edits."""
        return (self.memory - self.memory_half) / 1e6 if self.memory_half else None


def measure(name: str, count: int, long: int, folder: Path) -> Measured:
    """What one server needs for the edits; `long` edits in all for its memory."""
    found = Measured()
    text = benchmark_text()
    for turn in range(8):
        client = Client(_command(name), folder)
        ready, work = client.ready_seconds, _cpu_of_all(client.process.pid)
        later = turn % 2 == 0
        time.sleep(_WHILE if later else 0.0)
        first, document = _opened(client, text)
        if turn:  # the first session compiles the modules, and the rules
            found.ready.append(ready)
            found.start_work.append(work)
            (found.first_later if later else found.first).append(first)
            found.first_work.append(_cpu_of_all(client.process.pid))
        client.stop()
    client = Client(_command(name), folder)
    _, document = _opened(client, text)
    time.sleep(5.0)  # whatever a server does once it has a file
    before = _cpu_of_all(client.process.pid)
    for edit in edits(text):
        # Not to end within a line that is only half written.
        if len(found.keystrokes) >= count and document.text == text:
            break
        found.keystrokes.append(_keystroke(document, edit))
        time.sleep(0.02)
    found.work = (_cpu_of_all(client.process.pid) - before) / len(found.keystrokes)
    _questions(document, found)
    if name == _OURS:
        _saves(document, found)
    time.sleep(15.0)
    found.idle = _idle_share(client.process.pid, 10.0)
    done = count
    for edit in itertools.islice(edits(document.text, 2), max(long - count, 0)):
        _keystroke(document, edit)
        done += 1
        if done == long // 2:
            found.memory_half = _resident(client.process.pid)
    found.memory, found.edits = _resident(client.process.pid), done
    found.memory_of_helpers = sum(_resident(one) for one in _children(client.process.pid))
    client.stop()
    return found


def _opened(client: Client, text: str) -> tuple[float, Document]:
    """The seconds from the opening of a file to its diagnostics, and the document."""
    began = time.perf_counter()
    document = Document(client, _NAME, text)
    document.diagnostics()
    return time.perf_counter() - began, document


def _keystroke(document: Document, edit: Any) -> float:
    began = time.perf_counter()
    document.replace(edit.line, edit.column, edit.end_line, edit.end_column, edit.text)
    document.diagnostics()
    taken = time.perf_counter() - began
    document.client.forget()
    return taken


def _questions(document: Document, found: Measured) -> None:
    """Hovers over what stands in kernels, and the actions on the lines of diagnostics."""
    lines = document.text.split("\n")
    places = [
        (at, line.index("[")) for at, line in enumerate(lines) if "] = " in line and line.startswith("    ")
    ]
    for line, character in places[:60]:
        found.hovers.append(
            _timed(document.client, "textDocument/hover", document.at(line, max(character - 1, 0)))
        )
    for item in document.last[:60]:
        params = {
            "textDocument": {"uri": document.uri},
            "range": item["range"],
            "context": {"diagnostics": [item]},
        }
        found.actions.append(_timed(document.client, "textDocument/codeAction", params))


def _timed(client: Client, method: str, params: Any) -> float:
    began = time.perf_counter()
    client.ask(method, params)
    return time.perf_counter() - began


def _saves(document: Document, found: Measured) -> None:
    """Changes one kernel and saves: the time until its lens tells of registers again."""
    lines = document.text.split("\n")
    at = next(number for number, line in enumerate(lines) if "def vector_add_vector_add_first" in line)
    kernel = at
    at += 1
    for turn in range(12):
        document.replace(
            at, 0, at, 0, f"    extra{turn} = cuda.threadIdx.x * {turn + 3}\n    a[extra{turn}] = 1.0\n"
        )
        document.diagnostics()
        document.client.forget()
        began = time.perf_counter()
        document.save()
        while not _has_registers(document, kernel):
            document.client.wait(lambda one: one.get("method") == "workspace/codeLens/refresh")
        found.compiled.append(time.perf_counter() - began)
        document.replace(at, 0, at + 2, 0, "")
        document.diagnostics()
    del found.compiled[:2]  # the compiler's process may not have been there


def _has_registers(document: Document, line: int) -> bool:
    lenses = document.client.ask("textDocument/codeLens", {"textDocument": {"uri": document.uri}})
    near = [one for one in lenses if abs(one["range"]["start"]["line"] - line) <= 1]
    titles = [one["command"]["title"] for one in near if one.get("command")]
    # What was known before the edit stays in the lens, and is called so.
    return any("registers" in title and "before the edit" not in title for title in titles)


def _command(name: str) -> list[str]:
    program, *rest = _SERVERS[name]
    beside = Path(sys.executable).parent / program
    return [str(beside) if beside.exists() else program, *rest]


def _resident(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _children(process: int) -> list[int]:
    found = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, file.read_text().split()):
            found += [child, *_children(child)]
    return found


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cpu_of_all(process: int) -> float:
    return sum(map(_cpu_seconds, [process, *_children(process)]))


def _idle_share(process: int, seconds: float) -> float:
    before = _cpu_of_all(process)
    time.sleep(seconds)
    return (_cpu_of_all(process) - before) / seconds


def _share(values: list[float], part: float) -> float | None:
    """The milliseconds below which that part of some seconds lies."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1e3 if ordered else None


def table(found: dict[str, Measured]) -> str:
    """The Markdown table of all servers, with our share of each other one."""
    ours = found[_OURS]
    rows: list[tuple[str, str, Any, str]] = [
        ("start to ready, median", "500 ms", lambda one: statistics.median(one.ready) * 1e3, "ms"),
        ("CPU time of a start, median", "", lambda one: statistics.median(one.start_work) * 1e3, "ms"),
        ("opened at once to first diagnostics", "", lambda one: statistics.median(one.first) * 1e3, "ms"),
        (
            "opened after 3 s to first diagnostics",
            "",
            lambda one: statistics.median(one.first_later) * 1e3,
            "ms",
        ),
        (
            "CPU time until the first diagnostics, median",
            "",
            lambda one: statistics.median(one.first_work) * 1e3,
            "ms",
        ),
        ("keystroke to diagnostics, p50", "30 ms", lambda one: _share(one.keystrokes, 0.5), "ms"),
        ("keystroke to diagnostics, p95", "80 ms", lambda one: _share(one.keystrokes, 0.95), "ms"),
        ("CPU time of the server for a keystroke, mean", "", lambda one: one.work * 1e3, "ms"),
        ("hover, p95", "30 ms", lambda one: _share(one.hovers, 0.95), "ms"),
        ("code actions, p95", "30 ms", lambda one: _share(one.actions, 0.95), "ms"),
        ("saved to compiled evidence, p95", "700 ms", lambda one: _share(one.compiled, 0.95), "ms"),
        ("CPU while idle", "0 %", lambda one: one.idle * 100, "%"),
        ("memory after the edits", "200 MB", lambda one: one.memory / 1e6, "MB"),
        ("growth in their second half", "0 MB", lambda one: one.growth(), "MB"),
        ("memory of its helper processes", "", lambda one: one.memory_of_helpers / 1e6, "MB"),
        ("edits until then", "", lambda one: float(one.edits), ""),
    ]
    others = [name for name in found if name != _OURS]
    head = ["", "target", _OURS, *itertools.chain(*((name, "ratio") for name in others))]
    lines = [_row(head), _row(["---", *["---:"] * (len(head) - 1)])]
    for label, target, value, unit in rows:
        own = value(ours)
        cells = [label, target, _cell(own, unit)]
        for name in others:
            other = value(found[name])
            ratio = f"{own / other:.2f}" if own is not None and other and other > 0 and unit != "%" else ""
            cells += [_cell(other, unit), ratio]
        lines.append(_row(cells))
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:,.1f} {unit}"


def main() -> None:
    """Measure and print, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--whole", action="store_true", help="the memory of 10,000 edits instead of 1,000")
    parser.add_argument("--only", choices=sorted(_SERVERS), action="append")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/editor.md")
    asked = parser.parse_args()
    names = [_OURS, *(name for name in _SERVERS if name != _OURS)]
    names = [
        name for name in names if (not asked.only or name in asked.only) and shutil.which(_command(name)[0])
    ]
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "w"
            folder.mkdir()
            long = (10_000 if asked.whole else 1_000) if name == _OURS else asked.edits
            found[name] = measure(name, asked.edits, long, folder)
            print(name, "done", file=sys.stderr)
    text = table(found)
    print(text)
    if asked.write:
        _PAGE.write_text(_page(text, asked.edits), encoding="utf-8")


def _page(text: str, count: int) -> str:
    load = f"{os.getloadavg()[1]:.1f} processes wanted a core at a time"
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} ({load})"
    return f"""# The language server beside others

`benchmarks/editor/editor.py` wrote this page on {machine}.

{count} edits of a file of 1,000 lines with 20 kernels, sent through a pipe by one client to each server in
turn: a line is begun in some function, a statement typed character by character, and the line removed. The
next edit follows when the diagnostics of the former are there. All servers are asked for diagnostics, so the
pause that our server makes before it sends them by itself (150 ms after the last keystroke) is in no figure.
Ratios are ours divided by the other's: below 1 we are faster or smaller. The other servers look for other
things; they show what users are used to.

{text}

Compiled evidence comes from a compiler process of its own that the server keeps, told as a helper process.
"""


if __name__ == "__main__":
    main()
