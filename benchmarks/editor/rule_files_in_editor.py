"""Times the language server while rule files are written: one rule of a pack of 200, and a file of 200 rules.

    python benchmarks/editor/rule_files_in_editor.py           prints the table
    python benchmarks/editor/rule_files_in_editor.py --write   writes docs/benchmarks/rule-files-in-editor.md

A real server process at the end of a pipe. The pack is made of the shipped rules under other names, one file
each, and loaded beside the shipped knowledge. Into the conditions of some of its rules a comparison is typed
character by character, and taken out again; after each character the diagnostics are asked for.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editor_client import Client, Document
from rule_loading import write_pack

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "rule-files-in-editor.md"
_RULES, _EDITED = 200, 10
_TYPED = "device.sm_count > 5 "
_KERNELS = """\
from numba import cuda


@cuda.jit
def scale{number}(a, b):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j] = b[i, j] * 2
"""


@dataclass
class Measured:
    """Seconds by what was done, and the server's processor time for a keystroke."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    processor: float = 0.0

    def add(self, what: str, began: float) -> None:
        """Note the time since `began`."""
        self.seconds.setdefault(what, []).append(time.perf_counter() - began)


def measure(folder: Path) -> Measured:
    """The times of one session."""
    found = Measured()
    pack = write_pack(folder / "pack", _RULES)
    files = sorted(pack.rglob("*.rules"))
    (folder / "advisor.toml").write_text('packs = ["pack"]\n', encoding="utf-8")
    for number in range(50):
        (folder / f"k{number}.py").write_text(_KERNELS.format(number=number), encoding="utf-8")
    client = Client([sys.executable, "-m", "advisor", "server"], folder)
    for file in files[:: _RULES // _EDITED]:
        name = file.relative_to(folder).as_posix()
        began = time.perf_counter()
        document = Document(client, name, file.read_text("utf-8"))
        document.diagnostics()
        found.add("opened to diagnostics" if found.seconds else "first file opened to diagnostics", began)
        used = _processor_seconds(client)
        for _ in _typing(document):
            began = time.perf_counter()
            client.notify("textDocument/didChange", _change(document))
            document.diagnostics()
            found.add("keystroke to diagnostics", began)
        found.processor += _processor_seconds(client) - used
        _questions(document, found)
        client.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})
    client.stop()
    found.processor /= len(found.seconds["keystroke to diagnostics"])
    return found


def _processor_seconds(client: Client) -> float:
    """The processor time that the server has used so far; 0 where the system does not tell it."""
    try:
        fields = Path(f"/proc/{client.process.pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def one_file(folder: Path) -> Measured:
    """The times of a session on one file of all the rules."""
    found = Measured()
    pack = write_pack(folder / "made", _RULES)
    texts = [file.read_text("utf-8") for file in sorted(pack.rglob("*.rules"))]
    client = Client([sys.executable, "-m", "advisor", "server"], folder)
    (folder / "large").mkdir()
    document = Document(client, "large/all.rules", "\n".join(texts))
    document.diagnostics()
    for _ in _typing(document):
        began = time.perf_counter()
        client.notify("textDocument/didChange", _change(document))
        document.diagnostics()
        found.add(f"keystroke to diagnostics, {_RULES} rules in one file", began)
    client.stop()
    return found


def _typing(document: Document) -> Iterator[None]:
    """Each text on the way to one more comparison in the first condition, and back."""
    text = document.text
    at = text.index("\n  when ") + len("\n  when ")
    for end in [*range(1, len(_TYPED) + 1), 0]:
        # Every rule can speak of the device.
        joined = "and " if end == len(_TYPED) else ""
        document.text = text[:at] + _TYPED[:end] + joined + text[at:]
        document.version += 1
        yield


def _change(document: Document) -> dict[str, Any]:
    return {
        "textDocument": {"uri": document.uri, "version": document.version},
        "contentChanges": [{"text": document.text}],
    }


def _questions(document: Document, found: Measured) -> None:
    lines = document.text.split("\n")
    line = next(at for at, text in enumerate(lines) if text.startswith("  when "))
    column = lines[line].index(".") + 1 if "." in lines[line] else 7
    here = document.at(line, column)
    whole = {"textDocument": {"uri": document.uri}}
    for what, method, params in (
        ("hover", "textDocument/hover", here),
        ("completion", "textDocument/completion", here),
        ("completion of an operand", "textDocument/completion", document.at(line, 7)),
        ("definition", "textDocument/definition", here),
        ("references", "textDocument/references", {**here, "context": {"includeDeclaration": True}}),
        ("semantic tokens", "textDocument/semanticTokens/full", whole),
        ("document symbols", "textDocument/documentSymbol", whole),
        ("formatting", "textDocument/formatting", {**whole, "options": {"tabSize": 2, "insertSpaces": True}}),
        ("code lenses", "textDocument/codeLens", whole),
    ):
        began = time.perf_counter()
        answer = document.client.ask(method, params)
        found.add(what, began)
    for lens in answer:
        began = time.perf_counter()
        document.client.ask("codeLens/resolve", lens)
        first = lens["data"]["kind"] == "kernels" and "lens: kernels, first" not in found.seconds
        found.add(f"lens: {lens['data']['kind']}{', first' if first else ''}", began)


def table(found: Measured) -> str:
    """The Markdown table."""
    lines = ["| what | p50 | p95 | most | times |", "|---|---:|---:|---:|---:|"]
    for what, seconds in found.seconds.items():
        ordered = sorted(seconds)
        shares = [ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1e3 for part in (0.5, 0.95, 1)]
        cells = " | ".join(f"{share:.1f} ms" for share in shares)
        lines.append(f"| {what} | {cells} | {len(seconds)} |")
    mean = f"{found.processor * 1e3:.1f} ms on average"
    return "\n".join([*lines, f"| processor time of the server for a keystroke | {mean} | | | |"])


def main() -> None:
    """Measure and print, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the page of the documentation")
    asked = parser.parse_args()
    found = Measured()
    for work in (measure, one_file):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "w"
            folder.mkdir()
            one = work(folder)
            found.seconds |= one.seconds
            found.processor = found.processor or one.processor
    text = table(found)
    print(text)
    if asked.write:
        _PAGE.write_text(_page(text), encoding="utf-8")


def _page(text: str) -> str:
    load = f"{os.getloadavg()[0]:.1f} other programs at work" if hasattr(os, "getloadavg") else "unknown load"
    machine = f"{os.cpu_count()} cores with {load}, Python {platform.python_version()}, {platform.system()}"
    return f"""# Rule files in the editor

`benchmarks/editor/rule_files_in_editor.py` wrote this page on {machine}.
A server process answers one client through a pipe. The pack has {_RULES} rules in {_RULES} files, which are
the shipped rules under other names, and is loaded beside the shipped knowledge. Into the conditions of
{_EDITED} of them a comparison is typed character by character and taken out again, so that most texts on the
way are broken. After each character the diagnostics are asked for: errors, examples that fail and remarks of
lint, with the whole rulebook as context. The 100 ms that the server waits for quiet before it sends
diagnostics by itself are in no figure. The target is a keystroke well under 30 ms.

{text}

The first lens about the kernels of the workspace reads 50 files with a kernel each; the others rest on what
was read. A file of {_RULES} rules is read and checked as a whole at each keystroke. The first file loads the
rulebook.
"""


if __name__ == "__main__":
    main()
