"""What one edit that does not parse costs: findings of the other functions, and time.

    python benchmarks/editor/syntax_recovery.py FOLDER [--edits 300] [--edits-of-a-file 5] [--seed 1]

Python files with kernels below FOLDER, which parse and have findings by source evidence in more than one
function, are taken in random order. In a random function of one a line is half typed, a decorator or a head
is, characters or a closing bracket are deleted, a bracket or a quote is put in, or a line is indented
otherwise, each kind as often. Edits that still parse are drawn again. Of the findings outside of that
function those are counted that are there as before, at the same places, and those that are new. The time is
that of reading around the error, beside that of parsing the whole text. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.check.pipeline import check
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.text.source_text import SourceText
from advisor.model.text.syntax_recovery import recovered
from advisor.model.text.syntax_trees import syntax_tree

_MOST_LINES = 6_000
_HALF_TYPED = (
    "x = (",
    "for i in range(",
    "if i <",
    "value = a[",
    "s = 'abc",
    't = """',
    "return x +",
    "with ",
)
_HALF_TYPED_HEADS = ("@", "@cuda.jit(", "def other(", "class Other(", "async def")
_Lines = tuple[int, int]


@dataclass
class Counts:
    """What was kept, and how long it took; `unreadable` are texts of which nothing could be read."""

    edits: int = 0
    kept_all: int = 0
    unreadable: int = 0
    findings: int = 0
    kept: int = 0
    new: int = 0
    crashes: Counter[str] = field(default_factory=Counter)
    reading: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)


def main() -> int:
    """0 when no text made the check fail, else 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--edits-of-a-file", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3_600.0)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    files = sorted(given.folder.resolve().rglob("*.py"))
    rng.shuffle(files)
    counts, until, used = Counts(), time.perf_counter() + given.seconds, 0
    for file in files:
        if counts.edits >= given.edits or time.perf_counter() > until:
            break
        text = _text(file)
        if text is None:
            continue
        before, functions = _findings(file, text), _functions(syntax_tree(text))
        if len({one for one in functions for key in before if one[0] <= key[1] <= one[1]}) < 2:
            continue
        used += 1
        for _ in range(given.edits_of_a_file):
            edited = _broken(text, rng.choice(functions), rng)
            if edited is not None:
                _count(file, text, *edited, before, counts)
        print(f"{counts.edits:5} {file}", file=sys.stderr, flush=True)
    _tell(counts, used)
    return 1 if counts.crashes else 0


def _text(file: Path) -> str | None:
    """The text of a file with kernels that is Python of today, None for any other."""
    data = file.read_bytes()
    if b"cuda" not in data or b"jit" not in data or data.count(b"\n") > _MOST_LINES:
        return None
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
        syntax_tree(text)
    except (UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
        return None
    return text


def _findings(file: Path, text: str) -> Counter[tuple[str, int, str]]:
    """Rule, line and kernel of the findings by source evidence, of the file alone."""
    root = file.parent
    options = CheckOptions(
        device="a100-80gb", root=root, evidence="source", stdin=SourceText(file.name, text),
        workspace_files=(), fixes=False, proofs=False, no_run=True, jobs=1, settings=Config(root=root),
    )  # fmt: skip
    found = check([], options).findings
    return Counter((one.rule, one.span.line, one.kernel or "") for one in found if one.path == file.name)


def _functions(tree: ast.Module) -> list[_Lines]:
    """First and last line of each function that lies in no other, its decorators included."""
    found: list[_Lines] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                found.append((first, node.end_lineno or node.lineno))
            else:
                waiting.append(node)
    return sorted(found)


def _broken(text: str, function: _Lines, rng: random.Random) -> tuple[str, _Lines, int] | None:
    """A text that an edit in a function has broken, the function's lines, and how many are more."""
    for _ in range(50):
        lines = text.split("\n")
        at = rng.randrange(function[0], function[1])
        rng.choice(_EDITS)(lines, at, rng)
        after = "\n".join(lines)
        try:
            syntax_tree(after)
        except (SyntaxError, ValueError):
            return after, function, len(lines) - text.count("\n") - 1
    return None


def _half_typed_line(lines: list[str], at: int, rng: random.Random) -> None:
    lines.insert(at, _margin(lines[at]) + rng.choice(_HALF_TYPED))


def _half_typed_head(lines: list[str], at: int, rng: random.Random) -> None:
    lines.insert(at, _margin(lines[at]) + rng.choice(_HALF_TYPED_HEADS))


def _deleted_characters(lines: list[str], at: int, rng: random.Random) -> None:
    begin = rng.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:begin] + lines[at][begin + rng.randint(1, 10) :]


def _deleted_bracket(lines: list[str], at: int, rng: random.Random) -> None:
    places = [one.start() for one in re.finditer(r"[)\]}]", lines[at])]
    if places:
        place = rng.choice(places)
        lines[at] = lines[at][:place] + lines[at][place + 1 :]


def _new_character(lines: list[str], at: int, rng: random.Random) -> None:
    place = rng.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + rng.choice("([{'\"") + lines[at][place:]


def _other_indentation(lines: list[str], at: int, rng: random.Random) -> None:
    lines[at] = " " * rng.choice((0, 1, 3, 8, 12)) + lines[at].lstrip()


_EDITS: Sequence[Callable[[list[str], int, random.Random], None]] = (
    _half_typed_line, _half_typed_head, _deleted_characters, _deleted_bracket, _new_character,
    _other_indentation,
)  # fmt: skip


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _count(
    file: Path,
    text: str,
    after: str,
    function: _Lines,
    more: int,
    before: Counter[tuple[str, int, str]],
    counts: Counts,
) -> None:
    """Add what one edit costs."""
    first, last = function
    expected = Counter(
        {
            (rule, line + (more if line > last else 0), kernel): count
            for (rule, line, kernel), count in before.items()
            if not first <= line <= last
        }
    )
    counts.edits += 1
    whole = _seconds(lambda: syntax_tree(text))
    counts.reading.append(_seconds(lambda: recovered(after)))
    counts.ratios.append(counts.reading[-1] / whole)
    counts.findings += expected.total()
    try:
        if recovered(after) is None:
            counts.unreadable += 1
            counts.kept_all += not expected
            return
        found = _findings(file, after)
    except Exception as error:  # every kind of failure is to be counted
        counts.crashes[f"{type(error).__name__}: {error}"] += 1
        return
    others = Counter({key: n for key, n in found.items() if not first <= key[1] <= last + more})
    counts.kept += (expected & others).total()
    counts.new += (others - expected).total()
    counts.kept_all += others == expected
    if others != expected:
        print(f"{file}: gone {expected - others}, new {others - expected}", file=sys.stderr)


def _seconds(work: Callable[[], object]) -> float:
    """The processor time of some work, the shorter of two runs."""
    times = []
    for _ in range(2):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def _tell(counts: Counts, files: int) -> None:
    times = sorted(counts.reading) or [0.0]
    rows = [
        ("files", f"{files:,}"),
        ("edits that do not parse", f"{counts.edits:,}"),
        ("findings of other functions", f"{counts.findings:,}"),
        ("of these kept", f"{counts.kept:,} ({counts.kept / max(counts.findings, 1):.1%})"),
        ("new findings in other functions", f"{counts.new:,}"),
        ("edits after which all are the same", f"{counts.kept_all / max(counts.edits, 1):.1%}"),
        ("texts of which nothing can be read", f"{counts.unreadable:,}"),
        ("checks that failed", f"{counts.crashes.total():,}"),
        ("reading around the error, p50", f"{statistics.median(times) * 1e3:.0f} ms"),
        ("reading around the error, p95", f"{times[int(0.95 * (len(times) - 1))] * 1e3:.0f} ms"),
        ("beside parsing the whole text, median", f"{statistics.median(counts.ratios or [0.0]):.1f} times"),
    ]
    print("|  |  |\n| --- | ---: |")
    for name, value in rows:
        print(f"| {name} | {value} |")
    for reason, number in counts.crashes.most_common():
        print(f"{number:,} x {reason}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
