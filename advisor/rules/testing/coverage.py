"""How well the examples inside rules guard them: examples that fail, and mutants that no example notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.evidence.metrics.tables import Tables
from advisor.rules.evaluation.judgement import RuleJudge
from advisor.rules.model import Rule, Rulebook
from advisor.rules.settings import RuleSettings
from advisor.rules.testing.examples import ExampleFailure, example_tables
from advisor.rules.testing.mutants import Mutant, mutants


@dataclass
class RuleCoverage:
    """The examples of one rule that fail, how many mutants it has, and those that survive."""

    rule: Rule
    examples: int
    failures: list[ExampleFailure] = field(default_factory=list)
    mutants: int = 0
    surviving: list[Mutant] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """How many mutants some example noticed."""
        return self.mutants - len(self.surviving)


def cover(rulebook: Rulebook, rules: Sequence[Rule], with_mutants: bool = True) -> list[RuleCoverage]:
    """The coverage of each of the rules. A rule with failing examples has no mutants made of it."""
    return [_cover(rulebook, rule, with_mutants) for rule in rules]


def share_killed(covered: Sequence[RuleCoverage]) -> float:
    """The share of all mutants that were killed; 1 where there are none."""
    count = sum(one.mutants for one in covered)
    return sum(one.killed for one in covered) / count if count else 1.0


def _cover(rulebook: Rulebook, rule: Rule, with_mutants: bool) -> RuleCoverage:
    cases = [
        (example, example_tables(rulebook, rule, example)) for example in rule.examples if not example.file
    ]
    found = RuleCoverage(rule, len(cases))
    for example, tables in cases:
        verdict = _verdict(rulebook, rule, tables)
        if verdict != example.verdict:
            found.failures.append(ExampleFailure(rule.id, example, verdict))
    if with_mutants and not found.failures:
        made = mutants(rule)
        found.mutants = len(made)
        found.surviving = [
            mutant
            for mutant in made
            if all(_verdict(rulebook, mutant.rule, tables) == example.verdict for example, tables in cases)
        ]
    return found


def _verdict(rulebook: Rulebook, rule: Rule, tables: Tables) -> str:
    return RuleJudge(rulebook, rule, RuleSettings()).verdict(tables)
