"""Metrics, entities, rules and units in words, for completion and for hovering."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.reports.rule_pages.evidence import evidence_levels, sources_of
from advisor.reports.rule_pages.quantities import range_text
from advisor.rules.language.written_form import written
from advisor.rules.model import Metric, Rule, Rulebook
from advisor.rules.units import Unit, find_unit, unit_names


def metric_line(metric: Metric) -> str:
    """A metric's unit, range and entity in one line."""
    limits = range_text(metric.low, metric.high, metric.unit)
    return f"{metric.unit}{f', {limits}' if limits else ''} · of {metric.entity}"


def metric_text(metric: Metric, book: Rulebook) -> str:
    """The Markdown about a metric: what it is, its unit, and which evidence tells it."""
    parts = [
        f"**{metric.entity}.{metric.name}** · {metric.unit}{_limits(metric)}",
        _sentence(metric.doc),
        f"Computed: `{written(metric.computed.expression)}`" if metric.computed is not None else "",
        _provided_by(metric, book),
        _users(metric, book),
    ]
    return "\n\n".join(part for part in parts if part)


def rule_text(rule: Rule) -> str:
    """The Markdown about a rule."""
    head = f"**{rule.title}** · {rule.severity} · `{rule.id}` · {rule.category}"
    return "\n\n".join(part for part in (head, rule.doc, rule.why, _gone(rule)) if part)


def entity_text(name: str, book: Rulebook) -> str:
    """The Markdown about an entity, "" for one that is not declared."""
    entity = book.entities.get(name)
    if entity is None:
        return ""
    owner = f" of {entity.owner}" if entity.owner else ""
    metrics = [f"`{metric.name}`" for metric in metrics_of(name, book)]
    listed = f"{len(metrics)} metrics: {', '.join(metrics)}" if metrics else ""
    return "\n\n".join(part for part in (f"**entity {name}**{owner}", entity.doc, listed) if part)


def unit_text(written_unit: str) -> str:
    """The Markdown about a unit, "" for one that is not known."""
    unit = find_unit(written_unit)
    if unit is None:
        return ""
    return f"**{written_unit}** · a unit of {unit.described.strip('[]')}" if unit.is_number else ""


def metrics_of(entity: str, book: Rulebook) -> Iterator[Metric]:
    """The metrics of an entity; those of all entities for ""."""
    return (metric for metric in book.metrics.values() if entity in ("", metric.entity))


def units_like(unit: Unit | None, book: Rulebook) -> list[str]:
    """The units that can stand beside a unit; for None all that can stand alone or are used by metrics."""
    used = dict.fromkeys(str(metric.unit) for metric in book.metrics.values() if metric.unit.is_number)
    every = dict.fromkeys([*unit_names(), *(name for name in used if "/" in name)])
    if unit is None:
        return list(every)
    if not unit.is_number or unit.name == "count":
        return []
    if unit.name == "ratio":
        return ["%"]
    return [
        name
        for name in every
        if (found := find_unit(name)) is not None and found.dimension == unit.dimension and name != "%"
    ]


def _limits(metric: Metric) -> str:
    limits = range_text(metric.low, metric.high, metric.unit)
    return f" · {limits}" if limits else ""


def _provided_by(metric: Metric, book: Rulebook) -> str:
    levels = evidence_levels()
    sources = sources_of(f"{metric.entity}.{metric.name}", book)
    if not sources:
        return "Provided by no source that is known here; `metric-providers` may give it."
    return "\n".join(["Provided by", "", *(f"- {source}: {levels[source]}" for source in sources)])


def _users(metric: Metric, book: Rulebook) -> str:
    name = f"{metric.entity}.{metric.name}"
    users = [f"`{rule.id}`" for rule in book.rules if name in rule.metrics_used]
    if not users:
        return ""
    more = f" and {len(users) - 6} more" if len(users) > 6 else ""
    return f"Used by {', '.join(users[:6])}{more}"


def _gone(rule: Rule) -> str:
    return f"Deprecated: {rule.deprecated}" if rule.deprecated else ""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""
