"""Which of an expert's points about a kernel the findings report, at which place of the list and how loud."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Lines within which a place counts as one of the expert's.
NEAR = 3


@dataclass(frozen=True)
class Point:
    """What an expert would tell the author of a kernel: the rank, the cause, and where it shows."""

    rank: int
    cause: str
    path: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Kernel:
    """A kernel that an expert has read, and the points to make about it, none where it is as it should be."""

    repository: str
    path: str
    name: str
    line: int
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Finding:
    """A finding as a report shows it: the kernels that it names, all its places (paths and lines of
    files), and those that it refers to.
    """

    rule: str
    severity: str
    message: str
    kernels: frozenset[str]
    places: tuple[tuple[str, int], ...]
    related: tuple[tuple[str, int], ...] = ()

    @property
    def warns(self) -> bool:
        """Whether it is a warning or an error."""
        return self.severity in ("warning", "error")


@dataclass(frozen=True)
class Standing:
    """The place, from 1, of the first finding that reports a point: of all findings of its kernel, and of
    those at warning or above. None for none.
    """

    place: int | None
    warned: int | None


def judged_kernels(rows: Sequence[Mapping[str, Any]]) -> list[Kernel]:
    """The kernels of a list of judged ones, in its order."""
    return [
        Kernel(
            row["repository"], row["path"], row["kernel"], row["line"],
            tuple(
                Point(one["rank"], one["cause"], one.get("path", row["path"]), tuple(one["lines"]))
                for one in row["points"]
            ),
        )
        for row in rows
    ]  # fmt: skip


def causes_of_rules(file: Path) -> dict[str, frozenset[str]]:
    """The causes that each rule reports, from the file which names the rules of each cause."""
    rules = tomllib.loads(file.read_text("utf-8"))["causes"]
    causes: dict[str, frozenset[str]] = {}
    for cause, reporting in rules.items():
        for rule in reporting if isinstance(reporting, list) else ():
            causes[rule] = causes.get(rule, frozenset()) | {cause}
    return causes


def standing(
    point: Point, kernel: Kernel, findings: Sequence[Finding], causes: Mapping[str, frozenset[str]]
) -> Standing:
    """Where a point of a kernel stands among the findings about it, which come in the order of the report."""
    return Standing(
        _first(reports(one, point, kernel, causes) for one in findings),
        _first(one.warns and reports(one, point, kernel, causes) for one in findings),
    )


def reports(finding: Finding, point: Point, kernel: Kernel, causes: Mapping[str, frozenset[str]]) -> bool:
    """Whether a finding about a kernel reports a point: its rule is one of those of the point's cause.

    Of several points of one cause it reports those whose lines it touches, or else the first.
    """
    if point.cause not in causes.get(finding.rule, ()):
        return False
    alike = [one for one in kernel.points if one.cause == point.cause]
    touched = [one for one in alike if touches(finding.places, one)]
    return point in (touched or alike[:1])


def touches(places: Sequence[tuple[str, int]], point: Point) -> bool:
    """Whether one of the places lies within a few lines of the point's."""
    return any(path == point.path and abs(line - own) <= NEAR for path, line in places for own in point.lines)


def _first(hits: Any) -> int | None:
    return next((place for place, hit in enumerate(hits, start=1) if hit), None)
