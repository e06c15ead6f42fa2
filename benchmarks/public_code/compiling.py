"""Times the compilation of a folder's kernels, their machine code read together beside one by one.

    python benchmarks/public_code/compiling.py FOLDER… [--rounds N]

Nothing of the folders is run, and nothing is kept. Prints a Markdown table: kernels, processor seconds of all
processes that compile and disassemble with both ways in turn, the median of the ratios of neighbouring runs,
and whether all numbers were the same.
"""

from __future__ import annotations

import argparse
import resource
import statistics
from collections.abc import Sequence
from pathlib import Path

from advisor.check.collectors import DefaultCollectors
from advisor.check.inputs import Inputs
from advisor.evidence.compiled import CompiledEvidence, Target, compile_units
from advisor.evidence.compiled.compilers import machine_code
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

_TOGETHER = machine_code._UNITS


def units(folder: Path) -> Sequence[CompilationUnit]:
    """What is compiled of the Python files below a folder."""
    options = CheckOptions(
        "a100-80gb", folder, "compiled", no_run=True, fixes=False, proofs=False, jobs=1,
        settings=Config(root=folder), cache_folder=None,
    )  # fmt: skip
    inputs = Inputs.of(sorted(folder.rglob("*.py")), options)
    return DefaultCollectors().source(inputs, options, None).units


def compiled(asked: Sequence[CompilationUnit], together: int) -> tuple[float, CompiledEvidence]:
    """Processor seconds of the processes, and what they found."""
    machine_code._UNITS = together
    before = _seconds()
    found = compile_units(asked, Target((8, 0)), cache=None, timeout=120, jobs=1)
    return _seconds() - before, found


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print("| folder | kernels | one by one, s | together, s | ratio | numbers |")
    print("|---|---|---|---|---|---|")
    for folder in given.folders:
        asked = units(folder.resolve())
        rounds = [(compiled(asked, 1), compiled(asked, _TOGETHER)) for _ in range(given.rounds)]
        single, joined = ([one[way][0] for one in rounds] for way in (0, 1))
        ratio = statistics.median(a / b for a, b in zip(single, joined, strict=True))
        same = all(a[1] == b[1] for a, b in rounds)
        print(
            f"| {folder.name} | {len(rounds[0][0][1].by_kernel)} | {statistics.median(single):.1f} "
            f"| {statistics.median(joined):.1f} | {ratio:.2f} | {'equal' if same else 'different'} |"
        )


if __name__ == "__main__":
    main()
