"""Counts of how many kernels of public repositories launches are made up, and what that adds to the source.

    python benchmarks/synthesis/corpus_coverage.py FOLDER [--half open|aside] [--repository OWNER/NAME …]
        [--without] [--disagreements] [--seconds] [--cache FOLDER] [--notebooks]

FOLDER holds one checkout for each repository, as OWNER+NAME. Nothing of the repositories is run; with
--notebooks their notebooks are looked at instead of their modules. Prints Markdown: kernels and what became
of them, the accesses with a number before and after, with --without the kernels of which nothing is counted
and why, with --disagreements the lines at which the source's number is another than the counted one, and with
--seconds the processor time that each kernel takes when nothing is known of it (compiling, translating,
running) and when all is.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from made_launches import DEVICE, Checked, checked_folder
from processor_time import processor_seconds
from programs import HALVES, half_of

from advisor.check.launches.synthesised_launches import SynthesisedLaunches
from advisor.evidence.compiled.compilers.worker_pool import own_stock
from advisor.evidence.compiled.kernel_codes import KernelCodes
from advisor.evidence.metrics.joining import join
from advisor.evidence.simulated.synthesis.processes.contained_runs import own_runs
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.devices import find_device
from advisor.model.findings import Report
from advisor.model.records import Record
from advisor.model.storage.cache import Cache

# What tells how an access of global or of shared memory lies.
_NUMBERS = ("sectors_per_request", "bank_conflict_ways")
_ALIKE = 0.9
_COMPILE_SECONDS = 60.0


@dataclass
class Coverage:
    """What became of the kernels and accesses of some repositories."""

    kernels: int = 0
    compiled: int = 0
    run: int = 0
    clean: int = 0
    strayed: int = 0
    counted: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    without: list[str] = field(default_factory=list)
    accesses: int = 0
    before: int = 0
    after: int = 0
    compared: int = 0
    disagreements: list[str] = field(default_factory=list)
    cold: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)


def main() -> int:
    """Print the tables; 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--repository", nargs="*", default=[])
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--disagreements", action="store_true")
    parser.add_argument("--seconds", action="store_true")
    parser.add_argument("--cache", type=Path, help="a folder for what is compiled")
    parser.add_argument("--notebooks", action="store_true")
    options = parser.parse_args()
    pattern = "*.ipynb" if options.notebooks else "*.py"
    coverage = Coverage()
    for root in sorted(one for one in options.folder.iterdir() if "+" in one.name):
        name = root.name.replace("+", "/", 1)
        chosen = name in options.repository or not options.repository
        if chosen and options.half in (None, half_of(name)):
            one = checked_folder(root, cache=options.cache, pattern=pattern)
            _add(coverage, name, one)
            if options.seconds:
                _time(coverage, one)
            print(f"{name}: {len(one.kernels)} kernels, {len(one.syntheses)} compiled", file=sys.stderr)
    print("\n".join(_page(coverage)))
    if options.without:
        print("\n".join(coverage.without))
    if options.disagreements:
        print("\n".join(coverage.disagreements))
    return 0


def _add(coverage: Coverage, repository: str, checked: Checked) -> None:
    coverage.kernels += len(checked.kernels)
    coverage.compiled += len(checked.syntheses)
    for synthesis in checked.syntheses.values():
        coverage.run += bool(synthesis.launches)
        coverage.clean += _is_clean(synthesis)
        coverage.strayed += any(one.out_of_bounds for one in synthesis.launches)
        coverage.counted += any(any(line.values) for line in synthesis.lines)
        if synthesis.unknown:
            coverage.unknown[_reason(synthesis.unknown)] += 1
            coverage.without.append(f"- {repository} {synthesis.kernel}: {synthesis.unknown}")
    _add_accesses(coverage, repository, checked)


def _is_clean(synthesis: Synthesis) -> bool:
    launches = synthesis.launches
    return bool(launches) and all(one.ended and not one.out_of_bounds for one in launches)


def _reason(sentence: str) -> str:
    """A reason without what is special of the kernel: its numbers and names."""
    words = sentence.split(":")[0] if "does not run" in sentence else sentence
    return "".join("#" if one.isdigit() else one for one in words)


def _add_accesses(coverage: Coverage, repository: str, checked: Checked) -> None:
    records = [one for one in checked.evidence.source.records if one.entity == "access"]
    readings = [line for one in checked.syntheses.values() for line in one.line_readings()]
    made: dict[str, Record] = {}
    for record in join(checked.evidence.source.records, readings, "synthesised"):
        if record.entity == "access" and _number(record) is not None:
            made[record.key] = record
    known = {one.key for one in records if _number(one) is not None}
    coverage.accesses += len({one.key for one in records} | set(made))
    coverage.before += len(known)
    coverage.after += len(known | set(made))
    for record in records:
        own, other = _number(record), made.get(record.key)
        counted = None if other is None else _number(other)
        if own is not None and counted is not None:
            coverage.compared += 1
            if min(own, counted) < _ALIKE * max(own, counted):
                coverage.disagreements.append(
                    f"- {repository} {record.path}:{record.span.line} {record.owner}: {record.label} "
                    f"{record.value('space')} {record.value('kind')}: source {own:.3g}, "
                    f"counted {counted:.3g} "
                    f"{ {key: one.value for key, one in record.readings.items()} }"
                )


def _number(record: Record) -> float | None:
    for metric in _NUMBERS:
        value = record.value(metric)
        if value is not None:
            return float(value)
    return None


def _time(coverage: Coverage, checked: Checked) -> None:
    """Have each kernel asked about alone, twice: first when nothing of it is known."""
    device = find_device(DEVICE)
    wanted = set(checked.syntheses)
    for unit in checked.evidence.source.units:
        if unit.kernel in wanted:
            with tempfile.TemporaryDirectory() as folder:
                codes, cache = KernelCodes(Path(folder)), Cache(Path(folder))
                launches = SynthesisedLaunches(
                    codes, cache, own_runs(keep_code=False), own_stock(), _COMPILE_SECONDS
                )
                for found in (coverage.cold, coverage.warm):
                    began = processor_seconds()
                    launches.evidence([unit], device, Report(device), jobs=1, seconds=600.0)
                    found.append(processor_seconds() - began)


def _page(coverage: Coverage) -> Iterator[str]:
    yield "| what | kernels | % of those compiled |"
    yield "|---|---:|---:|"
    rows = (
        ("in the source", coverage.kernels), ("compiled", coverage.compiled), ("run", coverage.run),
        ("ended clean", coverage.clean), ("left an array", coverage.strayed),
        ("with counted numbers", coverage.counted),
    )  # fmt: skip
    for name, number in rows:
        yield f"| {name} | {number} | {100 * number / max(1, coverage.compiled):.1f} |"
    yield ""
    for why, number in coverage.unknown.most_common():
        yield f"- {number} × {why}"
    yield ""
    share = 100 / max(1, coverage.accesses)
    yield (
        f"Accesses: {coverage.accesses}, with a number before {coverage.before} "
        f"({share * coverage.before:.0f}%), after {coverage.after} ({share * coverage.after:.0f}%); of "
        f"{coverage.compared} with both, {len(coverage.disagreements)} differ by more than 10%."
    )
    for name, seconds in (("cold", coverage.cold), ("warm", coverage.warm)):
        if seconds:
            yield f"{name}: {_spread(seconds)}"


def _spread(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    tenth = ordered[int(0.9 * (len(ordered) - 1))]
    return (
        f"{len(ordered)} kernels, processor seconds median {statistics.median(ordered):.2f}, "
        f"90% {tenth:.2f}, worst {ordered[-1]:.2f}"
    )


if __name__ == "__main__":
    sys.exit(main())
