"""Metrics that follow from others by an expression: checked when read, filled in before rules are judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from advisor.evidence.metrics.tables import NO_SOURCE, Column, Tables
from advisor.model.records import ORIGINS
from advisor.rules.checking.expansion import Definitions, expand_within_bounds
from advisor.rules.checking.typing import Typing
from advisor.rules.checking.vocabulary import Vocabulary
from advisor.rules.evaluation.columns import Rows, View
from advisor.rules.evaluation.evaluate import Evaluation
from advisor.rules.language.drafts import FileContent
from advisor.rules.language.expressions import Quantified, metrics_in, quantifiers, references
from advisor.rules.language.problems import Complaints
from advisor.rules.model import Computed, Metric, Rulebook
from advisor.rules.units import TEXT, TRUTH

Contents = Sequence[tuple[FileContent, Complaints]]
_Key = tuple[str, str]
_Used = tuple[Column | None, Rows | None, object]


def check_computed(contents: Contents, vocabulary: Vocabulary, definitions: Definitions) -> None:
    """Check units and names of the expressions, and that none needs itself."""
    for content, complaints in contents:
        for metric, _ in content.metrics:
            key = (metric.entity, metric.name)
            if metric.computed is not None and metric.entity in vocabulary.entities:
                computed = _checked(metric, metric.computed, complaints, vocabulary, definitions)
                vocabulary.metrics[key] = replace(metric, computed=computed)
    _check_cycles(contents, vocabulary)


def _check_cycles(contents: Contents, vocabulary: Vocabulary) -> None:
    """Tell of each cycle once, at the first of its places, in whichever order files are read."""
    metrics = [
        (content.path, span, metric, noted) for content, noted in contents for metric, span in content.metrics
    ]
    told: set[_Key] = set()
    for _, span, metric, complaints in sorted(metrics, key=lambda one: one[:2]):
        key = (metric.entity, metric.name)
        cycle = [] if key in told else _cycle(key, vocabulary.metrics)
        if cycle:
            shown = " → ".join(".".join(one) for one in cycle)
            complaints.add("E320", span, name=metric.name, cycle=shown)
            told.update(cycle)
    for key in told:
        vocabulary.metrics[key] = replace(vocabulary.metrics[key], computed=None)


def _checked(
    metric: Metric,
    computed: Computed,
    complaints: Complaints,
    vocabulary: Vocabulary,
    definitions: Definitions,
) -> Computed | None:
    before = len(complaints.errors)
    owner = f"the metric `{metric.name}`"
    expression = expand_within_bounds(computed.expression, definitions, complaints, owner)
    if expression is None:
        return None
    typing = Typing(vocabulary, complaints, {computed.variable: metric.entity}, {})
    unit = typing.unit(expression)
    if len(complaints.errors) > before:
        return None
    if unit is not None and not unit.fits(metric.unit):
        complaints.add(
            "E321", computed.span, name=metric.name, wanted=metric.unit.described, found=unit.described
        )
        return None
    return replace(computed, expression=expression)


def _needs(key: _Key, metrics: dict[_Key, Metric]) -> Iterator[_Key]:
    metric = metrics.get(key)
    if metric is not None and metric.computed is not None:
        variables = {metric.computed.variable: metric.entity}
        for name in metrics_in(metric.computed.expression, variables):
            entity, _, own = name.partition(".")
            yield entity, own


def _cycle(key: _Key, metrics: dict[_Key, Metric]) -> list[_Key]:
    """The way from a metric through those that it needs back to itself, empty where there is none."""
    ways: list[list[_Key]] = [[key]]
    seen: set[_Key] = set()
    while ways:
        way = ways.pop()
        for needed in _needs(way[-1], metrics):
            if needed == key:
                return [*way, key]
            if needed not in seen:
                seen.add(needed)
                ways.append([*way, needed])
    return []


def fill_in(rulebook: Rulebook, tables: Tables) -> None:
    """Add the columns of the computed metrics to the tables, those that others need first."""
    waiting = [metric for metric in rulebook.metrics.values() if metric.computed is not None]
    done: set[_Key] = set()
    while waiting:
        ready = [
            metric
            for metric in waiting
            if all(
                key in done or rulebook.metrics[key].computed is None
                for key in _needs((metric.entity, metric.name), rulebook.metrics)
                if key in rulebook.metrics
            )
        ]
        for metric in ready:
            _fill(rulebook, tables, metric)
            done.add((metric.entity, metric.name))
        waiting = [metric for metric in waiting if (metric.entity, metric.name) not in done]
        if not ready:
            return


def _fill(rulebook: Rulebook, tables: Tables, metric: Metric) -> None:
    table = tables.get(metric.entity)
    if table is None or not len(table) or metric.computed is None:
        return
    view = View(tables, {metric.computed.variable: metric.entity}, rulebook.owner_entity())
    evaluation = Evaluation(view, {}, {}, rulebook.metrics)
    expression = metric.computed.expression
    if metric.unit == TEXT:
        return
    if metric.unit == TRUTH:
        true, possible = evaluation.condition(expression)
        values = np.where(possible & ~true, np.nan, true.astype(np.float64))
    else:
        values = np.broadcast_to(np.asarray(evaluation.number(expression), np.float64), len(table)).copy()
    if metric.low is not None:
        values[values < metric.low] = np.nan
    if metric.high is not None:
        values[values > metric.high] = np.nan
    sources = np.full(len(table), NO_SOURCE, np.uint8)
    assumptions: dict[int, tuple[str, ...]] = {}
    used: list[_Used] = [view.column(one.parts) for one in references(expression)]
    used += [(_of_owners(view, one), None, None) for one in quantifiers(expression)]
    for row in np.flatnonzero(~np.isnan(values)):
        best, resting = _grounds(used, int(row))
        sources[row] = best
        if resting:
            assumptions[int(row)] = resting
    table.columns[metric.name] = Column(values, sources, assumptions)


def _of_owners(view: View, quantified: Quantified) -> Column:
    """For each row the weakest source of what its rows of another entity are asked, and their assumptions.

    That a row has none of these is known from the source.
    """
    owners = len(view)
    weakest = np.full(owners, ORIGINS.index("source"), np.uint8)
    resting: dict[int, tuple[str, ...]] = {}
    table = view.tables.get(quantified.entity)
    if table is None or not len(table):
        return Column(weakest.astype(np.float64), weakest)
    weakest[table.owners[table.owners >= 0]] = NO_SOURCE
    inner = View(view.tables, {quantified.variable: quantified.entity, **view.variables}, view.owner_entity)
    for one in references(quantified.condition):
        column, rows, _ = inner.column(one.parts)
        for row in range(len(table)) if column is not None else ():
            at, owner = row if rows is None else int(rows[row]), int(table.owners[row])
            if column is not None and at >= 0 and owner >= 0:
                weakest[owner] = min(weakest[owner], column.sources[at])
                if at in column.assumptions:
                    resting[owner] = (*resting.get(owner, ()), *column.assumptions[at])
    return Column(weakest.astype(np.float64), weakest, resting)


def _grounds(used: Sequence[_Used], row: int) -> tuple[int, tuple[str, ...]]:
    """The weakest source of what a value was computed from, and all its assumptions."""
    sources, resting = [], dict[str, None]()
    for column, rows, _ in used:
        at = row if rows is None else int(rows[row])
        if column is not None and at >= 0 and column.sources[at] != NO_SOURCE:
            sources.append(int(column.sources[at]))
            resting.update(dict.fromkeys(column.assumptions.get(at, ())))
    return min(sources, default=0), tuple(resting)
