"""Every rule a project has: those of the rulebook and those about suppressions."""

from __future__ import annotations

from typing import TypeAlias

from advisor.check.rulebook import rulebook_for
from advisor.model.errors import UsageError
from advisor.model.settings.config import Config
from advisor.model.settings.selectors import suggestion
from advisor.model.suppression_rules import SuppressionRule, load_suppression_rules
from advisor.reports.rule_pages.fix_page import fixes_of
from advisor.rules.model import Rule, Rulebook

AnyRule: TypeAlias = Rule | SuppressionRule


def load_catalogue(config: Config) -> dict[str, AnyRule]:
    """All rules that load by id, in the order of category and id."""
    return catalogue_of(rulebook_for(config, strict=False))


def catalogue_of(rulebook: Rulebook) -> dict[str, AnyRule]:
    """All rules of a rulebook and those about suppressions by id, in the order of category and id."""
    rules: list[AnyRule] = [*rulebook.rules, *load_suppression_rules().values()]
    return {rule.id: rule for rule in sorted(rules, key=lambda rule: (rule.category, rule.id))}


def find_rule(catalogue: dict[str, AnyRule], name: str, rulebook: Rulebook) -> AnyRule:
    """The rule of that id, also by a name that it had; raises UsageError when there is none."""
    if name in rulebook.retired:
        raise UsageError(f"the rule `{name}` is gone: {rulebook.retired[name]}")
    name = rulebook.renamed.get(name, name)
    if name not in catalogue:
        raise UsageError(f"there is no rule `{name}`.{suggestion(name, catalogue)}")
    return catalogue[name]


def rule_as_json(rule: AnyRule) -> dict[str, object]:
    """The rule's row of `advisor rules list --format json`."""
    row: dict[str, object] = {
        "id": rule.id,
        "title": rule.title,
        "category": rule.category,
        "severity": rule.severity,
        "confidence": rule.confidence,
        "effort": rule.effort,
        "patterns": [],
        "source": None,
        "fix": None,
    }
    fixes = fixes_of(rule.id)
    row |= {"fix": fixes[0].safety if fixes else None, "fixes": [fix.id for fix in fixes]}
    if isinstance(rule, Rule):
        row["patterns"] = list(rule.patterns)
        row["source"] = (
            "; ".join(": ".join(filter(None, (item.text, item.at))) for item in rule.sources) or None
        )
        row["fix"] = row["fix"] or (rule.fixes[0].safety if rule.fixes else None)
    return row
