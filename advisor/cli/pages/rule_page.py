"""The page of a rule: what it looks for, why, what to try, and on what grounds."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.cli.pages.catalogue import AnyRule
from advisor.cli.pages.quantities import range_text
from advisor.meta_rules import MetaRule
from advisor.rules.model import Example, Rule, Rulebook, Unless
from advisor.rules.units import COUNT, TRUTH, Unit, format_value
from advisor.rules.written_form import written

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: paragraphs, then a list, then a table whose first row is the header."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    table: Rows = ()

    def __bool__(self) -> bool:
        return bool(self.paragraphs or self.items or len(self.table) > 1)


@dataclass(frozen=True, slots=True)
class Page:
    """A title, a line of keywords, and the sections that have something to say."""

    title: str
    keywords: tuple[str, ...]
    sections: tuple[Section, ...]


def build_page(rule: AnyRule, rulebook: Rulebook) -> Page:
    """The page of `rule`, with the metrics of `rulebook` explained."""
    own = _meta_sections(rule) if isinstance(rule, MetaRule) else _sections(rule, rulebook)
    keywords = (
        f"category {rule.category}",
        f"severity {rule.severity}",
        f"confidence {rule.confidence}",
        f"effort {rule.effort or 'unknown'}",
    )
    return Page(f"{rule.id}: {rule.title}", keywords, tuple(section for section in own if section))


def _meta_sections(rule: MetaRule) -> list[Section]:
    return [
        Section("What", (rule.doc,)),
        Section("Message", (rule.say,)),
        Section("Why", (rule.why,)),
        Section("Try", items=tuple(text.replace("{rule}", "rule-id") for text in rule.advice)),
    ]


def _sections(rule: Rule, rulebook: Rulebook) -> list[Section]:
    return [
        Section("What", tuple(filter(None, rule.doc.split("\n\n")))),
        Section("Message", (rule.say,) if rule.say else ()),
        Section("Why", (rule.why,) if rule.why else ()),
        Section("Try", items=rule.advice),
        Section("Fixes", items=tuple(f"{fix.title} ({fix.safety})" for fix in rule.fixes)),
        Section("Condition", (_condition(rule),)),
        Section("Exceptions", items=tuple(_exception(item) for item in rule.unless)),
        Section("Parameters", table=_parameters(rule)),
        Section("Metrics", table=_metrics(rule, rulebook)),
        Section("Examples", items=tuple(_example(item, rule, rulebook) for item in rule.examples)),
        Section("Sources", items=tuple(_citation(item.text, item.at, item.url) for item in rule.sources)),
        Section("Covers", items=rule.patterns),
        Section("See also", items=rule.see),
    ]


def _condition(rule: Rule) -> str:
    lets = [f"{name} is {written(value)}" for name, value in rule.lets]
    return "; ".join([written(rule.when), *lets])


def _exception(item: Unless) -> str:
    return written(item.condition) + (f": {item.reason}" if item.reason else "")


def _parameters(rule: Rule) -> Rows:
    return (
        ("name", "default", "allowed", "reason"),
        *(
            (
                param.name,
                format_value(param.value, param.unit),
                range_text(param.low, param.high, param.unit),
                param.reason,
            )
            for param in rule.params
        ),
    )


def _metrics(rule: Rule, rulebook: Rulebook) -> Rows:
    rows = []
    for name in rule.metrics_used:
        entity, _, metric_name = name.rpartition(".")
        metric = rulebook.metric(entity, metric_name)
        if metric is not None:
            rows.append(
                (name, str(metric.unit), range_text(metric.low, metric.high, metric.unit), metric.doc)
            )
    return (("metric", "unit", "range", "meaning"), *rows)


def _example(example: Example, rule: Rule, rulebook: Rulebook) -> str:
    values = []
    for parts, value in example.values:
        shown = "missing" if value is None else format_value(value, _unit(parts, value, rule, rulebook))
        values.append(f"{'.'.join(parts)} = {shown}")
    said = ", ".join(values) or (f"the file {example.file}" if example.file else "")
    return f"{example.verdict}{f' ({example.name})' if example.name else ''}: {said}"


def _unit(parts: tuple[str, ...], value: float | str | bool, rule: Rule, rulebook: Rulebook) -> Unit:
    owner = dict(rule.variables).get(parts[-2], parts[-2]) if len(parts) > 1 else rule.entity
    metric = rulebook.metric(owner, parts[-1])
    if metric is not None:
        return metric.unit
    return TRUTH if isinstance(value, bool) else COUNT


def _citation(text: str, at: str, url: str) -> str:
    return ", ".join(part for part in (text, f"“{at}”" if at else "", url) if part)
