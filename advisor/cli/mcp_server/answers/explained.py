"""The answer of `explain`: a kernel's diagnosis, or the page of a rule or fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.cli.mcp_server.answers.findings import OfferedFix, TextOf, offered_fix


@dataclass(frozen=True)
class Waits:
    """What a kernel waits for, or why that is not known; the time of all launches with its interval."""

    bound_by: str | None
    unknown_because: str | None
    time_ms: float | None
    time_interval_ms: list[float] | None
    source: str | None
    most_busy: dict[str, float]


@dataclass(frozen=True)
class Question:
    """A question of the diagnosis, its verdict, the values that it rests on, and the rules that answer it."""

    question: str
    verdict: str
    values: list[str]
    rules: list[str]


@dataclass(frozen=True)
class ActionToTake:
    """What to change: the finding, how many times as fast the kernel would be, the edits of its fix."""

    rule: str
    path: str
    line: int
    message: str
    speedup: float | None
    confidence: str
    effort: str
    fix: OfferedFix | None


@dataclass(frozen=True)
class ExplainAnswer:
    """Of a kernel the diagnosis with the actions in order; of a rule or fix its page in Markdown."""

    name: str
    device: str | None = None
    path: str | None = None
    line: int | None = None
    waits_for: Waits | None = None
    questions: list[Question] = field(default_factory=list)
    actions: list[ActionToTake] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    page: str | None = None


def kernel_answer(found: Mapping[str, Any], text_of: TextOf) -> ExplainAnswer:
    """The diagnosis of `advisor explain PATH::KERNEL` in short; what is as it should be is left out."""
    return ExplainAnswer(
        name=found["kernel"],
        device=found["device"],
        path=found["path"],
        line=found["line"],
        waits_for=_waits(found["bound"]),
        questions=[_question(one) for one in found["answers"] if one["verdict"] == "cause"],
        actions=[_action(one, text_of) for one in found["actions"]],
        assumptions=list(found["assumptions"]),
    )


def _waits(bound: Mapping[str, Any]) -> Waits:
    parts = sorted(bound["parts"], key=lambda one: -one["share"])[:3]
    return Waits(
        bound_by=bound["class"],
        unknown_because=bound["reason"],
        time_ms=bound["time_ms"],
        time_interval_ms=bound["time_interval_ms"],
        source=bound["source"],
        most_busy={one["resource"]: one["share"] for one in parts},
    )


def _question(answer: Mapping[str, Any]) -> Question:
    values = [f"{one['name']}: {one['value']} ({one['source']})" for one in answer["values"]]
    rules = list(dict.fromkeys(one["rule"] for one in answer["findings"]))
    return Question(answer["question"], answer["verdict"], values, rules)


def _action(action: Mapping[str, Any], text_of: TextOf) -> ActionToTake:
    fix = None
    if action.get("edits"):
        named = {**action, "id": action["fix_id"], "title": action["fix"]}
        fix = offered_fix(named, action["path"], text_of)
    return ActionToTake(
        action["rule"], action["path"], action["line"], action["message"], action["speedup"],
        action["confidence"], action["effort"], fix,
    )  # fmt: skip
