"""Counts, over a folder of repositories, the kernels that PTX was made of, and the others by reason.

    python benchmarks/public_code/how_many_kernels_compile.py FOLDER [REPOSITORY …] [--tests] [--list]
        [--markdown] [--limit 60]

FOLDER holds one checkout for each repository, as OWNER+NAME. Kernels in tests and benchmarks are left out
without `--tests`. Nothing of the repositories is imported or run: the units are made of their text, and
compiled in one worker process that is started before the clock; `--limit` is the most seconds for one unit,
beyond which it counts as without PTX. `--list` shows each kernel without PTX and why.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from advisor.evidence.compiled.evidence import Target
from advisor.evidence.compiled.ptx_texts import ptx_texts
from advisor.evidence.source.analysis import analyse
from advisor.evidence.source.test_paths import is_test_path
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.settings.file_discovery import find_files

_TARGET = Target((9, 0))
# Libraries of device functions, and a compiler, that the program does not have: no value can stand for those.
_LIBRARIES = re.compile(r"\b(?:import|from)\s+(?:nvmath|nvshmem|numba_cuda_mlir)\b")
_OTHER_COMPILER = "a compiler that is not used here"
_OF_LIBRARY = "device functions or the compiler of another library"
# Why a kernel has no PTX, by the words of the reason; the first that fits.
_CLASSES = (
    ("a value of a factory's parameter", r"a parameter of"),
    ("a name of a module that was not found", r"was not found|not found in"),
    ("a name that nothing defines", r"not defined in its module"),
    ("a plain Python function", r"a plain Python function"),
    ("a library that kernels cannot use", r"a part of "),
    ("a value made at run time", r"changed at run time|the result of a call|not a constant|no short literal"),
    ("one of several values", r"bound (?:to )?several"),
    ("an attribute of a class or an object", r"an attribute of|a module or a class"),
    ("records of an unknown layout", r"its elements are records"),
    ("parameters that are not positional", r"not all positional"),
    ("it took too long", r"it took too long"),
    ("refused with the types assumed", r"."),
)


@dataclass
class Counted:
    """The kernels of one repository: with PTX, of these on assumptions, of these with a value or a layout of
    records that is a guess, and the others by reason. `seconds` are those of kernels with PTX, `again` those
    with the second guesses.
    """

    name: str
    kernels: int = 0
    compiled: int = 0
    assuming: int = 0
    guessing: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)


def main() -> int:
    """0 when every repository was read."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("repositories", nargs="*")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--limit", type=float, default=60.0)
    options = parser.parse_args()
    names = sorted(one.name for one in options.folder.iterdir() if one.is_dir())
    names = [one for one in names if not options.repositories or one in options.repositories]
    counted = []
    for name in names:
        one = _counted(options.folder / name, options.tests, options.limit)
        if one.kernels:
            counted.append(one)
            print(_progress(one), file=sys.stderr, flush=True)
    print(_page(counted, options.markdown))
    if options.list:
        print("\n".join(line for one in counted for line in one.told))
    return 0


def units_of(folder: Path, tests: bool) -> list[CompilationUnit]:
    """The units of a repository's kernels, as a check of the whole folder makes them."""
    files = find_files([folder], root=folder).files
    units = analyse(files, folder, with_units=True).units
    return [unit for unit in units if tests or not is_test_path(unit.path)]


def _counted(folder: Path, tests: bool, limit: float) -> Counted:
    result = Counted(folder.name)
    units = units_of(folder, tests)
    result.kernels = len(units)
    others = []
    before = time.perf_counter()
    for number, made in enumerate(ptx_texts(units, _TARGET, limit)):
        now = time.perf_counter()
        if number and made.text:
            result.seconds.append(now - before)
        if made.text:
            result.compiled += 1
            result.assuming += bool(made.unit.candidates[made.candidate].assumptions)
            other = made.unit.with_other_guesses(made.candidate)
            others += [other] if other is not None else []
            before = time.perf_counter()
            continue
        problem = ", ".join(made.unit.unresolved) or made.problem
        text = (folder / made.unit.path).read_text("utf-8", errors="replace")
        reason = next(name for name, words in _CLASSES if re.search(words, problem))
        foreign = _LIBRARIES.search(text) or _OTHER_COMPILER in problem
        reason = _OF_LIBRARY if made.unit.unresolved and foreign else reason
        result.reasons[reason] += 1
        result.told.append(f"{folder.name} {made.unit.kernel}: [{reason}] {problem}")
        before = time.perf_counter()
    result.guessing = len(others)
    result.again = _seconds(others, limit)
    return result


def _seconds(units: list[CompilationUnit], limit: float) -> list[float]:
    """What each of some units takes in the compiler, the first left out: it pays for the start."""
    found: list[float] = []
    before = time.perf_counter()
    for _ in ptx_texts([*units[:1], *units], _TARGET, limit) if units else ():
        now = time.perf_counter()
        found.append(now - before)
        before = now
    return found[1:]


def _progress(one: Counted) -> str:
    return f"{one.name}: {one.compiled} of {one.kernels}, {sum(one.seconds):.1f} s"


def _page(counted: list[Counted], markdown: bool) -> str:
    total, compiled = sum(one.kernels for one in counted), sum(one.compiled for one in counted)
    seconds = [item for one in counted for item in one.seconds]
    heads = "repository", "kernels", "with PTX", "on assumptions", "on guesses", "why the others have none"
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for one in counted:
        reasons = ", ".join(f"{name} {count}" for name, count in one.reasons.most_common())
        cells = (one.name.replace("+", "/"), one.kernels, one.compiled, one.assuming, one.guessing, reasons)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    share = f"{compiled / total:.1%}" if total else ""
    assuming, guessing = (sum(one.assuming for one in counted), sum(one.guessing for one in counted))
    lines.append(f"| all | {total} | {compiled} ({share}) | {assuming} | {guessing} | |")
    others = total - sum(one.reasons[_OF_LIBRARY] for one in counted)
    lines.append(
        f"| all but those of other libraries | {others} | {compiled} ({compiled / others:.1%}) | | | |"
    )
    if not markdown:
        lines = [" ".join(line.strip("| ").split("|")) for line in lines if "---" not in line]
    every = Counter[str]()
    for one in counted:
        every.update(one.reasons)
    lines += ["", *(f"{count:5} {name}" for name, count in every.most_common())]
    again = [item for one in counted for item in one.again]
    for title, taken in (("a kernel with PTX", seconds), ("the second guesses of a kernel", again)):
        if len(taken) > 1:
            marks = quantiles(taken, n=10)
            lines.append(f"\nseconds for {title}: median {marks[4]:.2f}, 90% {marks[8]:.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
