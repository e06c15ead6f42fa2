"""The conditions of rules in the form that remarks about their reach need."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.rules.checking.intervals import Conditions
from advisor.rules.model import Rule, Rulebook


def conditions_of(book: Rulebook, rule: Rule, changed: Mapping[str, float]) -> Conditions:
    """The conditions of a rule at its defaults, with some parameters changed."""
    params = {param.name: param.value for param in rule.params} | dict(changed)
    return Conditions(rule, book.metrics, params, dict(rule.lets))
