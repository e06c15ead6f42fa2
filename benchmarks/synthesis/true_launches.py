"""Sets what launches tell that are made up beside what recorded launches of the same kernels count.

    python benchmarks/synthesis/true_launches.py FOLDER [--half open|aside|later|latest|newest|sixth]
        [--misses] [--cache FOLDER] [--repository OWNER/NAME …]

FOLDER holds one checkout for each repository of `data/programs.toml`, for a further set of
`data/programs_SET.toml`, as OWNER+NAME, without any record: the launches are
made up as `advisor check --no-run` makes them up, and know nothing of the recorded ones. A value is right
within 10% of the recorded one, a share also within 0.02, an interval where the recorded one lies in it.
Prints Markdown: how many of the values are right by metric and set, of all and of those lines of which the
recorded requests have full warps, then each miss. Of a set that is closed it prints these totals alone.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from made_launches import checked_folder
from programs import CLOSED, METRICS, SETS, TrueKernel, TrueLine, folder_name, true_kernels

from advisor.evidence.simulated.synthesis.result import LineCounts, Synthesis

_ALIKE, _SHARE = 0.9, 0.02
# Recorded values have five digits behind the point.
_ROUNDED = 1e-5
# What is told holds for full warps: requests of fewer lanes are of a launch that is too small for its blocks.
_FULL_LANES = 0.9 * 32


@dataclass(frozen=True)
class Value:
    """A value that is told of a line, up to `most` where it is an interval, and the true one."""

    kernel: TrueKernel
    line: TrueLine
    metric: str
    made: float
    most: float

    @property
    def true(self) -> float:
        """What the recorded launch counted."""
        return self.line.values[self.metric]

    @property
    def is_right(self) -> bool:
        """Whether the true value is the one that is told, or lies in the interval that is told."""
        return self.alone_is_right or (self.made - _ROUNDED <= self.true <= self.most + _ROUNDED)

    @property
    def alone_is_right(self) -> bool:
        """Whether the true value is the one that is told first."""
        least, most = sorted((self.made, self.true))
        return least >= _ALIKE * most or (self.metric == "divided" and most - least <= _SHARE)

    @property
    def is_of_full_warps(self) -> bool:
        """Whether at least 90% of a warp's lanes were active in the recorded requests. Branches have none and
        count always.
        """
        return self.line.lanes is None or self.line.lanes >= _FULL_LANES


@dataclass(frozen=True)
class Comparison:
    """Kernels, why nothing is told of some, the values that are told, and how many values are withheld."""

    kernels: Sequence[TrueKernel]
    unknown: dict[tuple[str, str, str, int], str]
    values: Sequence[Value]
    withheld: int
    not_executed: int


def main() -> int:
    """Print the tables; 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=SETS, default="open", help="the set of repositories")
    parser.add_argument("--repository", nargs="*", default=[])
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--cache", type=Path, help="a folder for what is compiled")
    options = parser.parse_args()
    if options.half in CLOSED and (options.misses or options.repository):
        parser.error("of a closed set the totals alone are told")
    kernels = true_kernels(options.half)
    kernels = [one for one in kernels if not options.repository or one.repository in options.repository]
    comparison = compared(kernels, options.folder, options.cache, tells_progress=options.half not in CLOSED)
    print("\n".join(_page(comparison, options.half)))
    if options.misses:
        print("\n".join(_misses(comparison)))
    return 0


def compared(
    kernels: Sequence[TrueKernel], folder: Path, cache: Path | None = None, tells_progress: bool = True
) -> Comparison:
    """The kernels' recorded counts beside those of launches that are made up."""
    by_repository: dict[str, list[TrueKernel]] = defaultdict(list)
    for one in kernels:
        by_repository[one.repository].append(one)
    unknown: dict[tuple[str, str, str, int], str] = {}
    values: list[Value] = []
    withheld = not_executed = 0
    for repository, its in by_repository.items():
        checked = checked_folder(
            folder / folder_name(repository), {(one.path, one.name) for one in its}, cache
        )
        for kernel in its:
            synthesis, why = checked.synthesis(kernel.path, kernel.name, kernel.line)
            if synthesis is None or synthesis.unknown:
                unknown[kernel.key] = synthesis.unknown if synthesis else why
                continue
            told = list(_told(kernel, synthesis))
            values += told
            withheld += sum(len(line.values) for line in kernel.lines) - len(told)
            executed = {line.place for line in kernel.lines}
            not_executed += sum(_place(one) not in executed for one in synthesis.lines if any(one.values))
        if tells_progress:
            print(f"{repository}: {len(its)} kernels", file=sys.stderr, flush=True)
    return Comparison(kernels, unknown, values, withheld, not_executed)


def _place(line: LineCounts) -> tuple[str, str, int, str, str, str]:
    return line.entity, line.path, line.line, line.array, line.space, line.kind


def _told(kernel: TrueKernel, synthesis: Synthesis) -> Iterator[Value]:
    """The values that are told of the lines that the recorded launch executed."""
    made = {_place(one): one for one in synthesis.lines}
    for line in kernel.lines:
        counts = made.get(line.place)
        for metric in line.values:
            value = None if counts is None else counts.values.get(metric)
            if counts is not None and value is not None:
                number = float(value)
                yield Value(kernel, line, metric, number, max(number, counts.most.get(metric, number)))


def _page(comparison: Comparison, half: str) -> Iterator[str]:
    kernels, unknown = comparison.kernels, comparison.unknown
    yield (
        f"{half}: {len(kernels)} kernels of {len({one.repository for one in kernels})} repositories, "
        f"{len(unknown)} without numbers; {len(comparison.values)} values told, {comparison.withheld} "
        f"withheld, {comparison.not_executed} lines told that the recorded launch did not execute"
    )
    yield ""
    yield "| metric | values | right | % | of the value alone | of full warps | % |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for metric in METRICS:
        yield _row(metric, [one for one in comparison.values if one.metric == metric])
    yield _row("all", comparison.values)
    if half in CLOSED:
        return
    yield ""
    for why, number in Counter(unknown.values()).most_common():
        yield f"- {number} × {why}"


def _row(name: str, values: Sequence[Value]) -> str:
    right = sum(one.is_right for one in values)
    alone = sum(one.alone_is_right for one in values)
    full = [one for one in values if one.is_of_full_warps]
    right_of_full = sum(one.is_right for one in full)
    return (
        f"| {name} | {len(values)} | {right} | {_percent(right, len(values))} "
        f"| {_percent(alone, len(values))} | {right_of_full} of {len(full)} "
        f"| {_percent(right_of_full, len(full))} |"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "–"


def _misses(comparison: Comparison) -> Iterable[str]:
    """Each value that is not right, and each kernel of which nothing is told."""
    yield ""
    for one in comparison.values:
        if not one.is_right:
            line = one.line
            most = f"–{one.most:g}" if one.most > one.made else ""
            yield (
                f"- {one.kernel.repository} {one.kernel.path}:{one.kernel.line} {one.kernel.name}: "
                f"{line.path}:{line.line} {line.array} {line.space} {line.kind} {one.metric}: "
                f"made {one.made:.4g}{most}, true {one.true:.4g}, lanes {line.lanes}, "
                f"block {one.kernel.block}, grid {one.kernel.grid}"
            )
    for (repository, path, name, line_number), why in comparison.unknown.items():
        yield f"- {repository} {path}:{line_number} {name}: {why}"


if __name__ == "__main__":
    sys.exit(main())
