"""The rule language: loading rule files, judging records by them, running their examples."""

from __future__ import annotations

from advisor.rules.evaluation.findings import kernel_of_row, to_finding
from advisor.rules.evaluation.judgement import Judgement, judge
from advisor.rules.evaluation.matches import Match
from advisor.rules.language.problems import RuleError, RuleErrors
from advisor.rules.loading.load import load_rulebook, rulebook_from_texts
from advisor.rules.model import Metric, Rule, Rulebook
from advisor.rules.settings import RuleSettings
from advisor.rules.testing.examples import ExampleFailure, run_examples

__all__ = [
    "ExampleFailure",
    "Judgement",
    "Match",
    "Metric",
    "Rule",
    "RuleError",
    "RuleErrors",
    "RuleSettings",
    "Rulebook",
    "judge",
    "kernel_of_row",
    "load_rulebook",
    "rulebook_from_texts",
    "run_examples",
    "to_finding",
]
