"""Matches turned into findings at their places."""

from __future__ import annotations

from advisor.evidence.metrics.tables import KERNEL_ENTITIES, Table, Tables
from advisor.model.findings import Finding, Fix, Related, ShowingLaunches
from advisor.model.remedies import Remedy
from advisor.rules.evaluation.matches import Match
from advisor.rules.model import Rulebook

# Their records say why a kernel is not compiled.
REFUSAL_ENTITIES = frozenset({"name", "rejection"})
# What a kernel has of all its launches, and what is no part of a kernel.
_OF_ALL_SHAPES = frozenset({"latency_ms", "launches"})
_AROUND = frozenset({"run", "device"})
# These lie in host code, beside the kernels they belong to.
HOST_ENTITIES = frozenset({"launch", "triton_launch"})


def kernel_of_row(entity: str, row: int, tables: Tables, rulebook: Rulebook) -> int:
    """The row of the kernel that a row of an entity belongs to, -1 for none."""
    while entity != "kernel" and row >= 0:
        row = int(tables[entity].owners[row])
        entity = rulebook.entities[entity].owner or "kernel"
        if entity not in tables:
            return -1
    return row


def to_finding(match: Match, rulebook: Rulebook, tables: Tables) -> Finding:
    """The finding of a match, at the place of its row."""
    rule = match.rule
    table = tables[rule.entity]
    kernel, line = None, None
    if rule.entity in KERNEL_ENTITIES:
        kernel, line = table.labels[match.row], table.spans[match.row].line
    related: tuple[Related, ...] = ()
    owner = int(table.owners[match.row]) if len(table.owners) else -1
    owner_entity = next((one for one in KERNEL_ENTITIES if one in dict(rule.variables).values()), None)
    if kernel is None and owner >= 0 and owner_entity in tables:
        kernels = tables[owner_entity]
        if rule.entity in HOST_ENTITIES:
            message = f"kernel `{kernels.labels[owner]}`"
            related = (Related(kernels.paths[owner], kernels.spans[owner], message, kernels.labels[owner]),)
        else:
            kernel = kernels.labels[owner]
        line = kernels.spans[owner].line
    return Finding(
        rule=rule.id,
        path=table.paths[match.row],
        span=table.spans[match.row],
        kernel=kernel,
        severity=match.severity,
        confidence=match.confidence,
        message=match.say,
        why=match.why,
        advice=match.advice,
        evidence=match.evidence,
        gain=match.gain,
        effort=rule.effort,
        assumptions=match.assumptions,
        fixes=tuple(Fix(fix.title, fix.safety) for fix in rule.fixes),
        related=related,
        url=rule.url,
        title=rule.title,
        category=rule.category,
        weight=match.weight,
        array=_text(table, match.row, "array"),
        configuration=_text(table, match.row, "configuration"),
        kernel_line=line,
        remedy=_remedy(match, rulebook, tables),
        launches=_launches(match, rulebook, tables),
    )


def _remedy(match: Match, rulebook: Rulebook, tables: Tables) -> Remedy:
    """What the remedy changes of the kernel that the match belongs to; of no kernel nothing."""
    row = _kernel_row(match, rulebook, tables)
    changes = match.changes if row >= 0 else ()
    key = tables["kernel"].keys[row] if row >= 0 else ""
    return Remedy(key, changes or (), changes is not None, match.keeps_level)


def _launches(match: Match, rulebook: Rulebook, tables: Tables) -> ShowingLaunches | None:
    """How many of a kernel's launches a match is of, where its numbers are of one of several shapes."""
    of_kernels = [entity for entity in rulebook.entities if entity not in _AROUND]
    named = {one.metric for one in match.evidence} - _OF_ALL_SHAPES
    if not any((entity, metric) in rulebook.metrics for entity in of_kernels for metric in named):
        return None
    row = _kernel_row(match, rulebook, tables)
    showing, every, share = (
        _number(tables["kernel"], name, row) if row >= 0 else None
        for name in ("shape_launches", "launches", "shape_time_share")
    )
    if showing is None or every is None:
        return None
    return ShowingLaunches(round(showing), round(every), share)


def _kernel_row(match: Match, rulebook: Rulebook, tables: Tables) -> int:
    known = match.rule.entity in rulebook.entities and "kernel" in tables
    return kernel_of_row(match.rule.entity, match.row, tables, rulebook) if known else -1


def _number(table: Table, name: str, row: int) -> float | None:
    column = table.columns.get(name)
    return None if column is None or column.source(row) is None else float(column.values[row])


def _text(table: Table, row: int, name: str) -> str:
    """A text that a record knows, "" where it knows none."""
    column = table.columns.get(name)
    return str(column.values[row]) if column is not None and column.source(row) is not None else ""
