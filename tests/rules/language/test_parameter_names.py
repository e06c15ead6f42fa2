"""Names of shipped parameters: they say what a larger value does, and the same bound has the same name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import Config
from advisor.rules.language.expressions import Expression, Operation, Quantified, Reference
from advisor.rules.model import Rule

BOOK = rulebook_for(Config(), cache=False)
PARAMS = [(rule, param.name) for rule in BOOK.rules for param in rule.params]
# What a larger value does to the number of findings.
FEWER, MORE = -1, 1
DIRECTIONS = {"min": FEWER, "allowed": FEWER, "max": MORE, "required": MORE}
# The share of the kernel's registers that makes a line a peak: a larger one makes fewer lines peaks, and the
# rule looks only at kernels with few of them.
BOTH_WAYS = {("register-peak-at-line", "min_register_share")}


def slopes(expression: Expression, rule: Rule, param: str) -> set[int]:
    """In which directions a larger parameter moves a number, or makes a condition more often (1) true."""
    if isinstance(expression, Reference):
        lets = dict(rule.lets)
        own = expression.parts == (param,)
        name = expression.parts[0] if len(expression.parts) == 1 else ""
        return {1} if own else slopes(lets[name], rule, param) if name in lets else set()
    if isinstance(expression, Quantified):
        inside = slopes(expression.condition, rule, param)
        return opposite(inside) if expression.quantifier == "no" else inside
    if not isinstance(expression, Operation):
        return set()
    each = [slopes(operand, rule, param) for operand in expression.operands]
    if expression.operator in ("neg", "not"):
        return opposite(each[0])
    if expression.operator in ("-", "/", ">", ">="):
        return each[0] | opposite(each[1])
    if expression.operator in ("<", "<="):
        return opposite(each[0]) | each[1]
    if expression.operator == "between":
        return {*each[0], *opposite(each[0]), *opposite(each[1]), *each[2]}
    return set().union(*each)


def opposite(signs: set[int]) -> set[int]:
    return {-sign for sign in signs}


def effects(rule: Rule, param: str) -> set[int]:
    exceptions = [slopes(one.condition, rule, param) for one in (*rule.unless, *rule.doubts)]
    return slopes(rule.when, rule, param).union(*map(opposite, exceptions))


@pytest.mark.parametrize(("rule", "param"), PARAMS, ids=lambda one: one if isinstance(one, str) else one.id)
def test_the_name_says_what_a_larger_value_does(rule: Rule, param: str) -> None:
    beginning = param.partition("_")[0]
    if beginning in DIRECTIONS and (rule.id, param) not in BOTH_WAYS:
        assert effects(rule, param) == {DIRECTIONS[beginning]}


def compared(
    expression: Expression, rule: Rule, entities: Mapping[str, str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The metrics that are compared with nothing but a parameter, each with the parameter."""
    if isinstance(expression, Quantified):
        inside = {**entities, expression.variable: expression.entity}
        yield from compared(expression.condition, rule, inside)
    if not isinstance(expression, Operation):
        return
    if expression.operator in ("<", "<=", ">", ">="):
        metric, bound = expression.operands
        known = {param.name for param in rule.params}
        if isinstance(metric, Reference) and isinstance(bound, Reference) and bound.parts[0] in known:
            begins, *path = metric.parts
            yield (entities.get(begins, begins), *path), bound.parts[0]
    for operand in expression.operands:
        yield from compared(operand, rule, entities)


def test_the_same_bound_of_the_same_metric_has_one_name() -> None:
    names: dict[tuple[tuple[str, ...], int], set[str]] = {}
    for rule in BOOK.rules:
        exceptions = (one.condition for one in (*rule.unless, *rule.doubts))
        for expression in (rule.when, *(value for _, value in rule.lets), *exceptions):
            for metric, param in compared(expression, rule, dict(rule.variables)):
                if not param.startswith("target_"):
                    names.setdefault((metric, min(effects(rule, param))), set()).add(param)
    assert len(names) > 50
    assert {key: found for key, found in names.items() if len(found) > 1} == {}


def test_the_same_name_is_the_same_kind_of_number() -> None:
    units: dict[str, set[str]] = {}
    for rule in BOOK.rules:
        for param in rule.params:
            units.setdefault(param.name, set()).add(param.unit.described)
    assert {name: found for name, found in units.items() if len(found) > 1} == {}


def test_every_name_has_more_than_one_word() -> None:
    assert [f"{rule.id}: {param}" for rule, param in PARAMS if "_" not in param] == []


def test_few_names_begin_otherwise() -> None:
    others = {param for _, param in PARAMS if param.partition("_")[0] not in DIRECTIONS}
    assert others == {"target_time", "target_variation", "recommended_block_threads"}


def test_every_renamed_parameter_knows_its_former_name() -> None:
    """Configurations of version 0.1 call them so; a sample of the most used ones."""
    former = {(rule.id, old): new for rule in BOOK.rules for old, new in rule.former_params.items()}
    assert former["waits-for-memory", "much"] == former["barrier-stalls", "much"] == "min_stall_share"
    assert former["waits-for-memory", "busy"] == "max_issue_active"
    assert former["launch-in-host-loop", "depth"] == "min_host_loop_depth"
    assert former["uncoalesced-access", "excess"] == "min_sector_ratio"
    assert former["memory-bound", "worth_it"] == "min_time_share"
