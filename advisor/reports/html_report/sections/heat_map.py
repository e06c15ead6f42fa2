"""The source of kernels line by line, with the numbers of each line and colours by them."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from advisor.model.history.fingerprint import LineMetrics
from advisor.model.text.syntax_trees import syntax_tree
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.line_numbers import COLUMNS, Column, numbers_of_lines
from advisor.reports.html_report.material import Material, heading
from advisor.reports.html_report.parts import Cell
from advisor.reports.html_report.sections.findings import first_actions
from advisor.reports.html_report.wording import extent, share_of, shown
from advisor.reports.outputs.wording.counts import counted
from advisor.runs.comparison.ranking.ranking import RankedKernel, Ranking

_STEPS = 9


@dataclass(frozen=True)
class HeatLine:
    """A line: its number, the cells of its columns, its text (None where it is not shown), its findings."""

    number: int
    cells: tuple[Cell, ...]
    text: str | None
    findings: tuple[int, ...]


@dataclass(frozen=True)
class HeatMap:
    """A kernel's lines. `note` says why there is no source, or what the numbers are of; the map of the first
    action is open.
    """

    name: str
    heading: str
    note: str
    header: tuple[str, ...]
    lines: tuple[HeatLine, ...]
    is_open: bool = False


@dataclass(frozen=True)
class HeatMaps:
    """The kernels with the most time that have numbers for their lines; `more` says what is left out."""

    maps: tuple[HeatMap, ...]
    more: str


def heat_maps(material: Material, findings: Mapping[tuple[str, int], tuple[int, ...]]) -> HeatMaps:
    """The heat maps, kernels of the first ranking first."""
    known = [
        (ranking, kernel)
        for ranking in material.rankings
        for kernel in ranking.kernels
        if kernel.main.fingerprint.lines
    ]
    most = amounts().sources
    maps = tuple(
        _heat_map(material, at, ranking, kernel, findings)
        for at, (ranking, kernel) in enumerate(known[:most])
    )
    chosen = _first_of(material, [kernel for _, kernel in known[:most]])
    maps = tuple(replace(one, is_open=at == chosen) for at, one in enumerate(maps))
    left_out = len(known) - len(maps)
    every = sum(len(ranking.kernels) for ranking in material.rankings)
    more = (
        f"{counted(left_out, 'kernel')} with less time and numbers of lines are left out. "
        if left_out
        else ""
    )
    if without := every - len(known):
        more += f"Of {counted(without, 'kernel')} no numbers of lines are known."
    return HeatMaps(maps, more.strip())


def _first_of(material: Material, kernels: Sequence[RankedKernel]) -> int:
    """The number of the kernel that the first possible of the first actions concerns, else of the first."""
    places = [(kernel.place.path, kernel.name) for kernel in kernels]
    for action in first_actions(material):
        concerned = (action.finding.path, action.finding.kernel_concerned())
        if concerned in places:
            return places.index((concerned[0], str(concerned[1])))
    return 0


def _heat_map(
    material: Material,
    at: int,
    ranking: Ranking,
    kernel: RankedKernel,
    findings: Mapping[tuple[str, int], tuple[int, ...]],
) -> HeatMap:
    one, place = kernel.main.fingerprint, kernel.place
    own = one.identity.path
    numbers = numbers_of_lines([line for line in one.lines if line.path == own])
    moved = place.moved if place.state == "same" else 0
    numbers = {line + moved: values for line, values in numbers.items()}
    columns = [column for column in COLUMNS if any(column.key in values for values in numbers.values())]
    texts = _texts(kernel)
    lines = []
    for line in sorted({*numbers, *texts}):
        values = numbers.get(line, {})
        shown_at = findings.get((place.path, line), ()) if place.state == "same" else ()
        lines.append(
            HeatLine(
                line, tuple(_cell(column, values, numbers) for column in columns), texts.get(line), shown_at
            )
        )
    shape = extent(one.identity.grid)
    of = f"grid {shape}, block {extent(one.identity.block)}" if shape else ""
    title = f"{material.number(kernel)} {kernel.name}: {heading(ranking)}"
    share = share_of(kernel.share)
    told = [text for text in (place.path, of, f"{share} of the time" if share else "") if text]
    elsewhere = _elsewhere(one.lines, own)
    note = " ".join(text for text in (", ".join(told) + ".", _no_source(kernel), elsewhere) if text)
    return HeatMap(f"source-{at}", title, note, tuple(column.heading for column in columns), tuple(lines))


def _no_source(kernel: RankedKernel) -> str:
    state = kernel.place.state
    if state == "changed":
        return "Its code has changed since, so the present source is not shown beside these numbers."
    if state == "gone":
        return "Its source is not there any more."
    if state == "unknown":
        return "Whether the present source is what ran is not known, so it is not shown beside these numbers."
    return ""


def _elsewhere(lines: Sequence[LineMetrics], own: str | None) -> str:
    others = {(line.path, line.line) for line in lines if line.path != own}
    return f"{counted(len(others), 'line')} of other files with numbers are not shown." if others else ""


def _texts(kernel: RankedKernel) -> dict[int, str]:
    """The kernel's lines by their numbers, none unless the source is what ran."""
    place = kernel.place
    if place.state != "same" or place.text is None:
        return {}
    first, last = _extent_of(place.text, place.line)
    lines = place.text.splitlines()
    return {number: shown(lines[number - 1].expandtabs()) for number in range(first, last + 1)}


@lru_cache(maxsize=64)
def _functions(text: str) -> dict[int, tuple[int, int]]:
    """First and last line of each function by the line of its `def`."""
    found = {}
    for node in ast.walk(syntax_tree(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found[node.lineno] = (first, node.end_lineno or node.lineno)
    return found


def _extent_of(text: str, line: int) -> tuple[int, int]:
    return _functions(text).get(line, (line, line))


def _cell(
    column: Column, values: Mapping[str, float | str], every: Mapping[int, Mapping[str, float | str]]
) -> Cell:
    value = values.get(column.key)
    if value is None:
        return Cell("")
    if isinstance(value, str):
        return Cell(value)
    whole = column.most or max(
        (found for one in every.values() if isinstance(found := one.get(column.key), float)), default=0.0
    )
    level = min(_STEPS, math.ceil(_STEPS * value / whole)) if whole > 0.0 and column.has_heat else 0
    return Cell(column.text(value), style=f"h{level}" if level > 0 else "")
