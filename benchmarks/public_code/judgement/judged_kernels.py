"""Compares what a check says of kernels with what an expert would tell their authors first, second and third.

    python benchmarks/public_code/judgement/judged_kernels.py --half open --repos FOLDER [--no-synthesis]
        [--work FOLDER] [--most-files N] [--limit SECONDS] [--json FILE] [--causes] [--misses]

The kernels are those of `tests/data/judged_kernels`: the open half, the half that was set aside until it
had been measured twice (opened), repositories that are set aside since, further ones of which every second
is open (open_2, aside_2), and eight that are all open (open_3). `rules_of_causes.toml` beside them names the
rules that report each cause. FOLDER holds each repository as OWNER+NAME, a checkout or a git directory. Each
is checked as a whole, one after the other, without running any of its code; of one with more than
--most-files files those only that its judged kernels and their points lie in, with the others as their
workspace. Checkouts and reports are kept below --work. Findings stand in the order of the short report,
errors and warnings first. Prints Markdown; of what was set aside it gives totals only.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checkouts import ENDED, Checked, check, checkout, readable
from findings_of_kernels import Sources, about, printed
from scoring import Finding, Kernel, Point, Standing, causes_of_rules, judged_kernels, reports, standing

_DATA = Path(__file__).resolve().parents[3] / "tests" / "data" / "judged_kernels"
_RANKS = {1: "first", 2: "second", 3: "third"}
_COLUMNS: dict[str, Callable[[Standing], bool]] = {
    "first finding": lambda one: one.place == 1,
    "warning among first three": lambda one: one.warned is not None and one.warned <= 3,
    "warning": lambda one: one.warned is not None,
    "any level": lambda one: one.place is not None,
    "not reported": lambda one: one.place is None,
}


@dataclass(frozen=True)
class Compared:
    """A kernel, the findings about it in printed order, and where each of its points stands among them."""

    kernel: Kernel
    findings: list[Finding]
    standings: list[tuple[Point, Standing]]
    beside: list[Finding]


def main() -> int:
    """0 when every repository could be checked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    halves = ("open", "opened", "aside", "open_2", "open_3", "aside_2")
    parser.add_argument("--half", choices=halves, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("judged-kernels"))
    parser.add_argument(
        "--most-files", type=int, default=250, help="of a repository that is checked as a whole"
    )
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for a repository")
    parser.add_argument("--no-synthesis", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--causes", action="store_true", help="where the points of each cause stand")
    parser.add_argument(
        "--misses", action="store_true", help="first points missed, warnings beside the points"
    )
    options = parser.parse_args()
    if options.half.startswith("aside") and (options.causes or options.misses):
        parser.error("The half that was set aside gives totals only.")
    rows = json.loads((_DATA / f"{options.half}.json").read_text("utf-8"))
    causes = causes_of_rules(_DATA / "rules_of_causes.toml")
    compared: list[Compared] = []
    endings: list[dict[str, Any]] = []
    for repository, commit in sorted({(row["repository"], row["commit"]) for row in rows}):
        kernels = judged_kernels([row for row in rows if row["repository"] == repository])
        checked = _checked(repository, commit, kernels, options)
        endings.append({"repository": repository, "seconds": checked.seconds, "ending": checked.ending})
        sources = Sources(checked.root)
        findings = printed(checked.report, sources)
        compared += [_compared(one, about(one, findings, sources), causes) for one in kernels]
    numbers = _numbers(compared, frozenset().union(*causes.values()))
    print(_page(numbers, endings, options.half))
    if options.causes:
        print(_causes(compared))
    if options.misses:
        print(_misses(compared))
    if options.json:
        options.json.write_text(json.dumps({**numbers, "repositories": endings}, indent=1), "utf-8")
    return 0 if all(one["ending"] == ENDED for one in endings) else 1


def _checked(repository: str, commit: str, kernels: Sequence[Kernel], options: argparse.Namespace) -> Checked:
    """The check of a repository, or of the files with its judged kernels where it is large."""
    root = checkout(options.repos, repository, commit, options.work / "checkouts")
    if root is None:
        print(f"{repository} is not below {options.repos}.", file=sys.stderr)
        return Checked(options.repos, {}, 0.0, "not found")
    arguments = ["--no-synthesis"] if options.no_synthesis else []
    kept = options.work / "reports" / f"{root.name}.{'no-synthesis' if arguments else 'default'}.json"
    if len(readable(root)) <= options.most_files:
        return check(root.resolve(), [*arguments, "."], kept, options.limit)
    own = sorted({path for one in kernels for path in (one.path, *(point.path for point in one.points))})
    return check(root.resolve(), [*arguments, *own], kept, options.limit)


def _compared(kernel: Kernel, findings: list[Finding], causes: dict[str, frozenset[str]]) -> Compared:
    standings = [(one, standing(one, kernel, findings, causes)) for one in kernel.points]
    beside = [
        one
        for one in findings
        if one.warns and not any(reports(one, point, kernel, causes) for point in kernel.points)
    ]
    return Compared(kernel, findings, standings, beside)


def _numbers(compared: Sequence[Compared], with_rules: frozenset[str]) -> dict[str, Any]:
    """All totals: the points of each rank, findings and warnings for each kernel."""
    points = {}
    for rank, name in _RANKS.items():
        ranked = [(point, place) for one in compared for point, place in one.standings if point.rank == rank]
        points[name] = {
            "points": len(ranked),
            "of a cause with rules": sum(point.cause in with_rules for point, _ in ranked),
            **{column: sum(holds(place) for _, place in ranked) for column, holds in _COLUMNS.items()},
        }
    told = [len(one.findings) for one in compared]
    warned = [sum(finding.warns for finding in one.findings) for one in compared]
    return {
        "kernels": len(compared),
        "kernels without findings": sum(not one.findings for one in compared),
        "points": points,
        "findings of a kernel": {"all": sum(told), "median": statistics.median(told), "worst": max(told)},
        "warnings of a kernel": {
            "all": sum(warned),
            "median": statistics.median(warned),
            "worst": max(warned),
        },
        "warnings beside the points": sum(len(one.beside) for one in compared),
    }


def _page(numbers: dict[str, Any], endings: Sequence[dict[str, Any]], half: str) -> str:
    lines = [
        f"{numbers['kernels']} kernels of {len(endings)} repositories, {half} half.",
        "",
        f"| points | all | of a cause with rules | {' | '.join(_COLUMNS)} |",
        "|---|" + "---:|" * (len(_COLUMNS) + 2),
    ]
    for name, found in numbers["points"].items():
        shown = [f"{found[one]} ({_percent(found[one], found['points'])})" for one in _COLUMNS]
        of = f"{found['points']} | {found['of a cause with rules']}"
        lines.append(f"| {name} | {of} | {' | '.join(shown)} |")
    lines += ["", "| for each kernel | all | median | worst |", "|---|---:|---:|---:|"]
    for name in ("findings", "warnings"):
        found = numbers[f"{name} of a kernel"]
        lines.append(f"| {name} | {found['all']} | {found['median']:g} | {found['worst']} |")
    beside = numbers["warnings beside the points"]
    without = numbers["kernels without findings"]
    lines += ["", f"Kernels without any finding: {without}."]
    lines += [f"Warnings that report none of the expert's points: {beside}.", ""]
    lines += [
        f"{one['repository']}: {one['ending']} after {one['seconds']:.0f} s."
        for one in endings
        if one["ending"] != ENDED
    ]
    return "\n".join(lines)


def _causes(compared: Sequence[Compared]) -> str:
    """For each cause where its points stand; the commonest first."""
    counts: dict[str, Counter[str]] = {}
    for one in compared:
        for point, place in one.standings:
            count = counts.setdefault(point.cause, Counter())
            count.update(["all", f"rank {point.rank}"])
            count.update(_place_in_words(place))
    columns = ("all", "rank 1", "first", "second", "third", "later", "none", "warning")
    lines = [f"| cause | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    for cause, count in sorted(counts.items(), key=lambda item: (-item[1]["all"], item[0])):
        lines.append(f"| `{cause}` | {' | '.join(str(count[one]) for one in columns)} |")
    return "\n".join([*lines, ""])


def _place_in_words(place: Standing) -> list[str]:
    if place.place is None:
        return ["none"]
    found = [_RANKS.get(place.place, "later")]
    return found if place.warned is None else [*found, "warning"]


def _misses(compared: Sequence[Compared]) -> str:
    """Each first point that is no warning among the first three findings; then warnings beside the points."""
    lines = ["First points that are no warning among the first three findings:"]
    beside = ["Warnings that report none of the expert's points:"]
    for one in compared:
        kernel = one.kernel
        place = f"{kernel.repository} {kernel.path}:{kernel.line} {kernel.name}"
        for point, found in one.standings:
            if point.rank == 1 and (found.warned is None or found.warned > 3):
                said = "not reported" if found.place is None else f"reported as number {found.place}"
                lines.append(f"- {place}: {point.cause} {list(point.lines)}: {said}; {_told(one.findings)}")
        if one.beside:
            points = ", ".join(point.cause for point in kernel.points) or "nothing to report"
            beside.append(f"- {place} ({points}): {_told(one.beside)}")
    return "\n".join([*lines, "", *beside, ""])


def _told(findings: Sequence[Finding]) -> str:
    found = [f"{one.severity} {one.rule} {one.places[0][1]}" for one in findings]
    return "told " + ", ".join(found) if found else "told nothing"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "–"


if __name__ == "__main__":
    sys.exit(main())
