"""The examples inside rules, run through the same evaluation as everything else."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.evidence.metrics.tables import Tables, build_tables
from advisor.model.records import Reading, Record
from advisor.model.text.source_text import Span
from advisor.rules.checking.vocabulary import SINGLETONS
from advisor.rules.evaluation.judgement import RuleJudge
from advisor.rules.language.expressions import Expression, Operation, Quantified
from advisor.rules.model import Example, Rule, Rulebook
from advisor.rules.settings import RuleSettings


@dataclass(frozen=True, slots=True)
class ExampleFailure:
    """An example whose verdict is not the expected one."""

    rule: str
    example: Example
    found: str

    def __str__(self) -> str:
        name = f' "{self.example.name}"' if self.example.name else ""
        return (
            f"{self.rule}: the example{name} should be {self.example.verdict}, but the rule is {self.found}."
        )


def run_examples(rulebook: Rulebook) -> list[ExampleFailure]:
    """Every example of every rule that does not give its verdict."""
    failures = []
    for rule in rulebook.rules:
        for example in rule.examples:
            found = example_verdict(rulebook, rule, example)
            if found != example.verdict:
                failures.append(ExampleFailure(rule.id, example, found))
    return failures


def example_verdict(rulebook: Rulebook, rule: Rule, example: Example) -> str:
    """What the rule says of an example: fires, info, silent or unknown."""
    return RuleJudge(rulebook, rule, RuleSettings()).verdict(example_tables(rulebook, rule, example))


def example_tables(rulebook: Rulebook, rule: Rule, example: Example) -> Tables:
    """The tables of an example: a row for each entity it names.

    `b1`, `b2` … are rows of the quantified entity of `b`.
    """
    quantified = dict(_quantified_variables(rule))
    variables = {**dict(rule.variables), **{name: name for name in SINGLETONS}}
    owners = rulebook.owner_entity()
    records: dict[str, Record] = {}

    def record(key: str, entity: str) -> Record:
        if key not in records:
            records[key] = Record(entity, key, "example", Span(1), key, None)
            owner = owners.get(entity)
            if owner is not None:
                records[key].owner = record(_key(rule, owner), owner).key
        return records[key]

    chain = rule.entity
    record(_key(rule, chain), chain)
    for parts, value in example.values:
        name = parts[0]
        stem = name.rstrip("0123456789")
        if name not in variables and stem in quantified:
            target = record(name, quantified[stem])
        else:
            entity = variables[name]
            for part in parts[1:-1]:
                entity = part
            target = record(_key(rule, entity), entity)
        if value is not None:
            target.readings[parts[-1]] = Reading(value)
        else:
            target.readings.pop(parts[-1], None)
    return build_tables(records.values(), owners)


def _key(rule: Rule, entity: str) -> str:
    return "row" if entity == rule.entity and entity not in SINGLETONS and entity != "kernel" else entity


def _quantified_variables(rule: Rule) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []

    def visit(expression: Expression) -> None:
        if isinstance(expression, Quantified):
            found.append((expression.variable, expression.entity))
            visit(expression.condition)
        elif isinstance(expression, Operation):
            for operand in expression.operands:
                visit(operand)

    for expression in (
        rule.when,
        *(item.condition for item in (*rule.unless, *rule.doubts)),
        *(value for _, value in rule.lets),
    ):
        visit(expression)
    return found
