"""`advisor metrics`: the vocabulary that rules are written in."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from advisor.cli.options import add_format
from advisor.model.errors import UsageError
from advisor.model.settings.selectors import suggestion

if TYPE_CHECKING:
    from advisor.rules.model import Metric, Rulebook

SUMMARY = "List the metrics that rules can speak of, with unit, range and meaning."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor metrics`."""
    parser.add_argument(
        "entity",
        nargs="*",
        metavar="ENTITY",
        help="only metrics of these, such as kernel or access (default: all)",
    )
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """0 after printing the metrics."""
    from advisor.cli.pages.project import project_rulebook

    rulebook, _ = project_rulebook(to_begin_with=True)
    for name in args.entity:
        if name not in rulebook.entities:
            raise UsageError(f"there is no entity `{name}`.{suggestion(name, rulebook.entities)}")
    wanted = args.entity or list(rulebook.entities)
    if args.format == "json":
        print(json.dumps(_as_json(rulebook, wanted), indent=2))
    else:
        print("\n\n".join(_table(rulebook, entity) for entity in wanted))
    return 0


def _of_entity(rulebook: Rulebook, entity: str) -> list[Metric]:
    return [metric for metric in rulebook.metrics.values() if metric.entity == entity]


def _as_json(rulebook: Rulebook, wanted: list[str]) -> dict[str, object]:
    users: dict[str, list[str]] = {}
    for rule in rulebook.rules:
        for metric in rule.metrics_used:
            users.setdefault(metric, []).append(rule.id)
    return {
        "entities": [
            {"name": name, "owner": rulebook.entities[name].owner, "doc": rulebook.entities[name].doc}
            for name in wanted
        ],
        "metrics": [
            {
                "name": metric.name,
                "entity": entity,
                "unit": str(metric.unit),
                "low": metric.low,
                "high": metric.high,
                "doc": metric.doc,
                "rules": users.get(f"{entity}.{metric.name}", []),
            }
            for entity in wanted
            for metric in _of_entity(rulebook, entity)
        ],
    }


def _table(rulebook: Rulebook, name: str) -> str:
    from advisor.cli.pages.tables import plain_table
    from advisor.reports.rule_pages.quantities import range_text

    entity = rulebook.entities[name]
    owner = f" (of {entity.owner})" if entity.owner else ""
    rows = [
        (f"  {metric.name}", str(metric.unit), range_text(metric.low, metric.high, metric.unit), metric.doc)
        for metric in _of_entity(rulebook, name)
    ]
    return f"{name}{owner}: {entity.doc}\n{plain_table(('  metric', 'unit', 'range', 'meaning'), rows)}"
