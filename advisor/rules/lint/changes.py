"""Overrides that change nothing, name no device, or of which it is not plain which holds."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import combinations

from advisor.model.devices import load_devices
from advisor.rules.lint.asked import Asked
from advisor.rules.lint.remarks import Remark, remark
from advisor.rules.model import Override, Rule


def look(asked: Asked) -> Iterator[Remark]:
    """The remarks about overrides."""
    groups: dict[tuple[str, str], list[Override]] = {}
    for override in asked.book.overrides:
        groups.setdefault((override.rule, override.subject), []).append(override)
    for group in groups.values():
        for override in group:
            rule = asked.by_id.get(override.rule)
            reason = _idle(override, rule) if rule is not None and len(group) == 1 else None
            if reason:
                yield remark("L104", override.file, override.span, rule=override.rule, reason=reason)
            yield from _of_no_device(override)
        for one, other in combinations(group, 2):
            if _ambiguous(one, other):
                place = f"{one.file}:{one.span.line}"
                yield remark("L105", other.file, other.span, rule=other.rule, place=place)


def _of_no_device(override: Override) -> Iterator[Remark]:
    pattern, known = override.scope.device, load_devices()
    if pattern and not _devices(pattern):
        close = difflib.get_close_matches(pattern.strip("*?"), known, n=1, cutoff=0.5)
        hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(known)}."
        fields = {"rule": override.rule, "pattern": pattern, "hint": hint}
        yield remark("L117", override.file, override.span, **fields)


def _devices(pattern: str) -> set[str]:
    return {device for device in load_devices() if fnmatchcase(device, pattern)}


def _idle(override: Override, rule: Rule) -> str | None:
    if override.disabled or override.scope.parts:
        return None
    for name, value in override.params:
        if any(param.name == name and param.value == value for param in rule.params):
            return f"{name} has this value already"
    if override.level is not None and override.level == rule.severity and rule.severity_when_assumed is None:
        return f"its level is {override.level} already"
    return None


def _ambiguous(one: Override, other: Override) -> bool:
    """Whether two overrides can hold together and neither is more specific: as many patterns, of different
    kinds, or of the same kinds and as long.
    """
    kinds = set(one.scope.parts), set(other.scope.parts)
    if len(kinds[0]) != len(kinds[1]) or one.of_project != other.of_project:
        return False
    if kinds[0] != kinds[1]:
        return True
    patterns = [(getattr(one.scope, kind), getattr(other.scope, kind)) for kind in one.scope.parts]
    if sum(len(first) - len(second) for first, second in patterns) or not patterns:
        return False
    devices = _devices(one.scope.device or "*") & _devices(other.scope.device or "*")
    return bool(devices) and all(_overlap(*pair) for pair in patterns)


def _overlap(one: str, other: str) -> bool:
    """Whether some name may fit two patterns of `*`, `?` and `[…]`, the last taken for any character."""
    first, second = _units(one), _units(other)
    # The numbers of units of the second pattern that stand behind a name which the first fits so far.
    reached = _skipped({0}, second)
    for unit in first:
        reached = _skipped(_behind(unit, reached, second), second)
    return len(second) in reached


def _behind(unit: str, reached: set[int], second: list[str]) -> set[int]:
    if unit == "*":
        return set(range(min(reached), len(second) + 1)) if reached else set()
    found = set()
    for at in reached:
        if at == len(second):
            continue
        if second[at] == "*":
            found.add(at)
        elif "?" in (unit, second[at]) or unit == second[at]:
            found.add(at + 1)
    return found


def _skipped(reached: Iterable[int], second: list[str]) -> set[int]:
    """The same, with what `*` of the second pattern may leave out."""
    found = set(reached)
    for at in sorted(found):
        while at < len(second) and second[at] == "*":
            at += 1
            found.add(at)
    return found


def _units(pattern: str) -> list[str]:
    """A pattern as `*`, `?` and single characters."""
    found, at = [], 0
    while at < len(pattern):
        end = pattern.find("]", at + 2) if pattern[at] == "[" else -1
        found.append("?" if end > 0 else pattern[at])
        at = end + 1 if end > 0 else at + 1
    return found
