"""What one rule says of the places of a kernel, or of a host function, is one finding: it has one cause."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from math import inf

from advisor.model.findings import HERE_TOO, SEVERITIES, Evidence, Finding, Related, Report, joined_remedy
from advisor.model.text.source_text import SourceText, Span
from advisor.model.text.syntax_trees import syntax_tree
from advisor.program.syntax.module import FunctionNode, readable_source
from advisor.rules.evaluation.findings import REFUSAL_ENTITIES
from advisor.rules.model import Rulebook

# So many arrays are named where a finding concerns several.
_NAMED = 3


def leave_out_told(report: Report, rulebook: Rulebook) -> None:
    """Move the problems of kernels that were not compiled, for a reason that a finding gives, to `told`."""
    reasons = {rule.id for rule in rulebook.rules if rule.entity in REFUSAL_ENTITIES}
    places = {
        (place.path, place.span.line)
        for finding in report.findings
        if finding.rule in reasons
        for place in finding.at_each_place()
    }
    report.told = [one for one in report.problems if one.checked and (one.path, one.line) in places]
    report.problems = [one for one in report.problems if one not in report.told]


def joined_causes(
    findings: Iterable[Finding], texts: Mapping[str, str], rules: Container[str]
) -> list[Finding]:
    """The findings, those of one of the `rules` in one kernel of a file joined into one; outside of kernels
    those in one host function, by the files' `texts`.

    The finding stands at the worst place: of those with the highest severity the one with the largest weight,
    else with the largest gain, else whose number is furthest from its threshold, else the first.
    """
    alike: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        of_kernel = (finding.rule, finding.path, finding.kernel_concerned(), finding.kernel_line)
        alike.setdefault(of_kernel if finding.rule in rules else number, []).append(finding)
    functions = HostFunctions(texts)
    groups: list[list[Finding]] = []
    for group in alike.values():
        if len(group) == 1 or group[0].kernel_concerned() is not None:
            groups.append(group)
        else:
            groups += functions.apart(group)
    return [group[0] if len(group) == 1 else _joined(group) for group in groups]


def _joined(group: list[Finding]) -> Finding:
    ordered = sorted(group, key=lambda one: _beginning(one.span))
    worst = max(ordered, key=badness)
    others = [one for one in ordered if one is not worst]
    around = dict.fromkeys(related for one in (worst, *others) for related in one.related)
    places = (
        Related(
            one.path,
            one.span,
            HERE_TOO if one.message == worst.message else one.message,
            one.kernel or "",
            same_cause=True,
        )
        for one in others
    )
    return replace(
        worst,
        message=f"{worst.message} {_extent(ordered)}",
        assumptions=tuple(dict.fromkeys(assumptions_of(worst, others))),
        related=(*around, *places),
        remedy=joined_remedy((worst, *others)),
    )


def badness(one: Finding) -> tuple[int, float, float, float]:
    """How bad a place is: by severity, weight, gain, and how far its number is from its threshold."""
    weight = -inf if one.weight is None else one.weight
    return SEVERITIES.index(one.severity), weight, _gain(one), _distance(one.evidence)


def _gain(one: Finding) -> float:
    """By how much the kernel becomes faster, 0 where nothing says so: other launches stay as they are."""
    if one.gain is None or one.gain.speedup <= 0.0:
        return 0.0
    share = 1.0 if one.launches is None else one.launches.share_of_time
    return 1.0 / (1.0 - share + share / one.gain.speedup) if share is not None else one.gain.speedup


def _distance(evidence: Iterable[Evidence]) -> float:
    """By what factor the first number that was compared lies above or below its threshold."""
    for item in evidence:
        value, threshold = item.value, item.threshold
        if isinstance(value, int | float) and isinstance(threshold, int | float):
            if not threshold:
                return abs(value)
            ratio = value / threshold
            return max(ratio, 1.0 / ratio) if ratio > 0.0 else inf
    return 0.0


def _extent(places: list[Finding]) -> str:
    """In how many places, and of which arrays where all are about some."""
    arrays = list(dict.fromkeys(one.array for one in places))
    if "" in arrays:
        return f"In {len(places)} places."
    named = [f"`{name}`" for name in arrays]
    listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    return f"In {len(places)} places of {listed if len(arrays) <= _NAMED else f'{len(arrays)} arrays'}."


def assumptions_of(worst: Finding, others: Iterable[Finding]) -> Iterable[str]:
    """What the worst place and those as severe rest on; why a place is only info says nothing of them."""
    yield from worst.assumptions
    for one in others:
        if one.severity == worst.severity:
            # Each place has its own count of launches; the finding's is that of its worst place.
            own = "" if one.launches is None else one.launches.in_words()
            yield from (text for text in one.assumptions if text != own)


def _beginning(span: Span) -> tuple[int, int]:
    return span.line, span.column


class HostFunctions:
    """The functions of files; a file is read when one of its functions is asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._functions: dict[str, list[tuple[int, int]]] = {}

    def apart(self, findings: Iterable[Finding]) -> Iterable[list[Finding]]:
        """The findings by function, those at the level of their module together."""
        found: dict[tuple[str, int], list[Finding]] = {}
        for one in findings:
            found.setdefault((one.path, self._first_line(one.path, one.span.line)), []).append(one)
        return found.values()

    def _first_line(self, path: str, line: int) -> int:
        """The first line of the innermost function around a line, 0 at the level of the module."""
        if path not in self._functions:
            self._functions[path] = _functions(path, self._texts.get(path, ""))
        around = [first for first, last in self._functions[path] if first <= line <= last]
        return max(around, default=0)


def _functions(path: str, text: str) -> list[tuple[int, int]]:
    """The first and last lines of all functions that can be read."""
    source, _ = readable_source(SourceText(path, text))
    try:
        tree = syntax_tree(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, FunctionNode)
    ]
