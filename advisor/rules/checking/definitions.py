"""Definitions checked by themselves, used or not: what they call, and that none calls itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from advisor.rules.checking.expansion import Definitions
from advisor.rules.checking.vocabulary import hint_for
from advisor.rules.language.drafts import FileContent
from advisor.rules.language.expressions import Expression, Macro, Operation, Quantified
from advisor.rules.language.problems import Complaints

Contents = Sequence[tuple[FileContent, Complaints]]


def check_definitions(contents: Contents, definitions: Definitions) -> None:
    """Note calls of what does not exist, and each cycle once, at the first of its places."""
    for content, complaints in contents:
        for definition in content.definitions:
            for call in _calls(definition.body):
                if call.name not in definitions:
                    hint = hint_for(call.name, definitions)
                    complaints.add("E211", call.span, name=call.name, hint=hint)
    calls = {name: {call.name for call in _calls(body)} for name, (_, body) in definitions.items()}
    callers: dict[str, set[str]] = {}
    for name, called in calls.items():
        for one in called:
            callers.setdefault(one, set()).add(name)
    between = _above_cycles(calls) & _above_cycles(callers)
    told: set[str] = set()
    for content, complaints in sorted(contents, key=lambda one: one[0].path):
        for definition in content.definitions:
            name = definition.name
            cycle = _cycle(name, definitions) if name in between and name not in told else []
            if cycle:
                told.update(cycle)
                shown = " → ".join(cycle)
                complaints.add("E212", definition.span, name=name, cycle=shown)


def _calls(expression: Expression) -> Iterator[Macro]:
    if isinstance(expression, Macro):
        yield expression
    elif isinstance(expression, Operation):
        for operand in expression.operands:
            yield from _calls(operand)
    elif isinstance(expression, Quantified):
        yield from _calls(expression.condition)


def _above_cycles(graph: Mapping[str, set[str]]) -> set[str]:
    """The nodes from which a cycle is reached."""
    sorter = TopologicalSorter(graph)
    with contextlib.suppress(CycleError):
        sorter.prepare()
    left = set(graph)
    while ready := sorter.get_ready():
        left.difference_update(ready)
        sorter.done(*ready)
    return left


def _cycle(name: str, definitions: Definitions) -> list[str]:
    """The way from a definition through those that it calls back to itself, empty where there is none."""
    ways, seen = [[name]], set[str]()
    while ways:
        way = ways.pop()
        body = definitions.get(way[-1])
        for call in _calls(body[1]) if body is not None else ():
            if call.name == name:
                return [*way, name]
            if call.name not in seen:
                seen.add(call.name)
                ways.append([*way, call.name])
    return []
