"""What a short report says of a cause, each fact with the label that it stands behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from advisor.check.speedup_bounds.actions import Action
from advisor.model.findings import Finding, Fix
from advisor.model.records import Value
from advisor.model.text.source_text import Span
from advisor.reports.diagnosis.actions_in_words import speed_up_in_words
from advisor.reports.outputs.drawing.paragraphs import one_line
from advisor.reports.outputs.wording.counts import counted, listed
from advisor.reports.outputs.wording.locations import Locations
from advisor.reports.outputs.wording.quantities import quantity
from advisor.reports.outputs.wording.shown_causes import owner_of

Fact = tuple[str, str]


def remedy(action: Action) -> Fact | None:
    """The fix with its safety and what running it showed, or else the first advice."""
    if action.fix is not None:
        return "fix", _fix_in_words(action.fix)
    advice = next(iter(action.finding.advice), "")
    return ("try", advice) if advice else None


def assumption(action: Action) -> Fact | None:
    """What the finding rests on first of all."""
    first = next(iter(action.finding.assumptions), "")
    return ("assume", first) if first else None


def facts(action: Action, locations: Locations, places: int) -> list[Fact]:
    """What the cause gains, where else it is, at most so many `places`, and the number that decides."""
    gain = ("gain", _gain(action)) if action.speedup is not None else None
    also = ("also", _further_places(action, locations, places))
    return [one for one in (gain, also, _decisive_number(action.finding)) if one is not None and one[1]]


def _fix_in_words(fix: Fix) -> str:
    if fix.proof is None:
        return f"{fix.title} ({fix.safety})"
    return f"{fix.title} ({fix.safety}; {fix.proof.verdict}, {fix.proof.evidence})"


def _gain(action: Action) -> str:
    doubt = ", low confidence" if action.finding.confidence == "low" else ""
    return speed_up_in_words(action) + doubt


def _further_places(action: Action, locations: Locations, most: int) -> str:
    """The other kernels and places of the rule, `most` of these, and the rules that have the same fix."""
    finding = action.finding
    same = [one for one in action.others if one.rule == finding.rule]
    kernels = len({owner_of(one) for one in same} - {owner_of(finding)})
    names = _names_of_places(finding, same, locations)
    parts = [f"in {kernels} other kernel{'' if kernels == 1 else 's'}"] if kernels else []
    if names:
        more = len(names) - most
        rest = f" and {more} more" if more > 0 else ""
        parts.append(", ".join(names[:most]) + rest if most else counted(len(names), "place"))
    if rules := sorted({one.rule for one in action.others} - {finding.rule}):
        parts.append(f"the same fix for {listed(rules)}")
    return ", ".join(parts)


def _names_of_places(finding: Finding, same: Sequence[Finding], locations: Locations) -> list[str]:
    """Lines of the finding's file, then places of others; the finding's own line is none of them."""
    places = [(one.path, one.span) for one in same]
    places += [(place.path, place.span) for one in (finding, *same) for place in one.further_places]
    located = [locations.of(path, span) for path, span in sorted(places, key=_beginning)]
    here = locations.of(finding.path, finding.span)
    lines = list(
        dict.fromkeys(one.line for one in located if one.path == here.path and one.line != here.line)
    )
    # In a notebook each line is named with its cell.
    if lines and here.cell is None:
        lines[0] = f"{'line' if len(lines) == 1 else 'lines'} {lines[0]}"
    return [*lines, *dict.fromkeys(str(one) for one in located if one.path != here.path)]


def _beginning(place: tuple[str, Span]) -> tuple[str, int, int]:
    path, span = place
    return path, span.line, span.column


def _decisive_number(finding: Finding) -> Fact | None:
    """The first number with a threshold, unless the message or the source shows it."""
    for one in finding.evidence:
        if one.source == "source" or not _is_number(one.value) or not _is_number(one.threshold):
            continue
        shown = one_line(one.text or quantity(one.value, one.unit))
        if shown in finding.message:
            return None
        threshold = one_line(quantity(one.threshold, one.unit))
        return one.metric, f"{shown}, threshold {threshold} ({one.source})"
    return None


def _is_number(value: Value | None) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
