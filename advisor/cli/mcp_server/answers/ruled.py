"""The answer of `rules`: which there are, the page of one, or why one speaks of a kernel or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ShortRule:
    """A rule with the group that it belongs to and how loud it is unless configured."""

    id: str
    title: str
    category: str
    severity: str


@dataclass(frozen=True)
class Verdict:
    """What a rule says of one place: each condition with its answer and values, what would change that."""

    path: str
    line: int
    about: str
    verdict: str
    conditions: list[str]
    would_change: list[str]


@dataclass(frozen=True)
class RulesAnswer:
    """Rules by what was asked; `left_out` counts those beyond the limit; `why` has verdicts on a kernel."""

    rules: list[ShortRule] = field(default_factory=list)
    left_out: int = 0
    page: str | None = None
    why: list[Verdict] = field(default_factory=list)


def list_answer(rules: Iterable[Mapping[str, Any]], words: str, most: int) -> RulesAnswer:
    """The rules whose id, title or category has each of some words."""
    wanted = words.lower().split()
    found = [
        ShortRule(one["id"], one["title"], one["category"], one["severity"])
        for one in rules
        if all(word in f"{one['id']} {one['title']} {one['category']}".lower() for word in wanted)
    ]
    return RulesAnswer(found[:most], max(0, len(found) - most))


def why_answer(found: Mapping[str, Any], most: int) -> RulesAnswer:
    """The output of `advisor rules why` in short."""
    traces = found["traces"]
    return RulesAnswer(why=[_verdict(one) for one in traces[:most]], left_out=max(0, len(traces) - most))


def _verdict(trace: Mapping[str, Any]) -> Verdict:
    return Verdict(
        path=trace["path"],
        line=trace["line"],
        about=trace["label"],
        verdict=trace["verdict"],
        conditions=[_condition(one) for one in trace["steps"]],
        would_change=[" and ".join(way) for way in trace["changes"]],
    )


def _condition(step: Mapping[str, Any]) -> str:
    values = ", ".join(f"{one['name']} = {one['shown']} ({one['source']})" for one in step["values"])
    return f"{step['text']}: {step['answer']}" + (f"; {values}" if values else "")
