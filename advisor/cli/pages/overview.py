"""The pages about all rules and all metrics."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.reports.rule_pages.catalogue import AnyRule
from advisor.reports.rule_pages.evidence import sources_of
from advisor.reports.rule_pages.page_model import Page, Section, Words, anchor
from advisor.reports.rule_pages.quantities import range_text
from advisor.reports.rule_pages.rule_page import evidence_text, metrics_of
from advisor.rules.language.written_form import written
from advisor.rules.model import Entity, Metric, Rule, Rulebook

_RULE_COLUMNS = ("rule", "what it finds", "severity", "confidence", "effort", "evidence", "fix")
_PARAGRAPH = "\n\n"
_METRIC_COLUMNS = ("metric", "unit", "range", "given by", "meaning", "rules")


def rules_page(rulebook: Rulebook, rules: Iterable[AnyRule]) -> Page:
    """The page of all `rules`: a section for each category, in it a row for each rule."""
    by_category: dict[str, list[AnyRule]] = {}
    for rule in rules:
        by_category.setdefault(rule.category, []).append(rule)
    return Page(
        "Rules",
        (),
        tuple(
            Section(
                category or "(no category)",
                table=(_RULE_COLUMNS, *(_rule_row(rule, rulebook) for rule in members)),
                name=category_anchor(category),
            )
            for category, members in by_category.items()
        ),
    )


def metrics_page(rulebook: Rulebook, rules: Iterable[AnyRule]) -> Page:
    """The page of all metrics: a section for each entity, in it a row for each metric with its `rules`."""
    users: dict[str, list[str]] = {}
    for rule in rules:
        for name in metrics_of(rule) if isinstance(rule, Rule) else ():
            users.setdefault(name, []).append(rule.id)
    return Page(
        "Metrics",
        (),
        tuple(
            Section(
                entity.name,
                _entity_text(entity),
                table=(
                    _METRIC_COLUMNS,
                    *(
                        _metric_row(one, users, rulebook)
                        for one in rulebook.metrics.values()
                        if one.entity == entity.name
                    ),
                ),
                name=f"entity-{anchor(entity.name)}",
            )
            for entity in rulebook.entities.values()
        ),
    )


def category_anchor(category: str) -> str:
    """The name that links to a category's section end in."""
    return f"category-{anchor(category)}"


def _rule_row(rule: AnyRule, rulebook: Rulebook) -> tuple[str | Words, ...]:
    return (
        Words(rule.id, f"rule:{rule.id}"),
        _description(rule),
        rule.severity,
        rule.confidence,
        rule.effort or "unknown",
        evidence_text(rule, rulebook),
        rule.fixes[0].safety if isinstance(rule, Rule) and rule.fixes else "none",
    )


def _description(rule: AnyRule) -> str:
    deprecated = "Deprecated. " if isinstance(rule, Rule) and rule.deprecated else ""
    return f"{deprecated}{rule.title}. {' '.join(rule.doc.split(_PARAGRAPH)[0].split())}".strip()


def _entity_text(entity: Entity) -> tuple[str, ...]:
    owner = (f"It belongs to `{entity.owner}`.",) if entity.owner else ()
    return tuple(filter(None, (entity.doc, *owner)))


def _metric_row(
    metric: Metric, users: dict[str, list[str]], rulebook: Rulebook
) -> tuple[str | Words | tuple[Words, ...], ...]:
    name, computed = f"{metric.entity}.{metric.name}", metric.computed
    return (
        Words(metric.name, name=name, code=True),
        str(metric.unit),
        range_text(metric.low, metric.high, metric.unit),
        " or ".join(sources_of(name, rulebook)) or "unknown",
        metric.doc if computed is None else f"{metric.doc}; computed as `{written(computed.expression)}`",
        tuple(Words(rule, f"rule:{rule}") for rule in users.get(name, ())),
    )
