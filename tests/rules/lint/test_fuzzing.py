"""Damaged rule files end in the language's own errors, quickly: 2,000 of them in every run.

ADVISOR_FUZZ=nightly in the environment makes that 100,000.
"""

from __future__ import annotations

import random

import pytest
from damage import METRICS, MOST_SECONDS, RULES, Readings, damaged, survives
from effort import NIGHTLY, examples

_INPUTS = examples(2_000)
_SHARDS = 8
# A damaged vocabulary takes its rules along, so it stands beside a few of them only.
_FEW = dict(list(RULES.items())[:3])
_SHARE_OF_METRICS = 0.05


@pytest.fixture(scope="module")
def vocabulary() -> Readings:
    return Readings(METRICS)


@pytest.fixture(scope="module")
def few_rules() -> Readings:
    return Readings({**METRICS, **_FEW})


@pytest.mark.timeout(3600 if NIGHTLY else 300)
@pytest.mark.parametrize("shard", range(_SHARDS))
def test_damage_is_told_and_never_crashes(shard: int, vocabulary: Readings, few_rules: Readings) -> None:
    refused = 0
    for number in range(shard, _INPUTS, _SHARDS):
        chance = random.Random(number)
        of_metrics = chance.random() < _SHARE_OF_METRICS
        files, readings = (METRICS, few_rules) if of_metrics else (RULES, vocabulary)
        path = chance.choice(list(files))
        text = damaged(files[path], chance)
        errors, seconds = survives(readings, path, text)
        refused += bool(errors)
        if seconds >= MOST_SECONDS:
            # Once may be the collector's pass over all that this process holds; a slow input is slow again.
            _, seconds = survives(readings, path, text)
        assert seconds < MOST_SECONDS, (number, seconds)
    assert refused > _INPUTS // _SHARDS // 2


@pytest.mark.parametrize("title", ['"one }', '"one } two"'])
def test_a_brace_in_the_title_of_a_rule_that_never_opens(title: str, vocabulary: Readings) -> None:
    errors, _ = survives(
        vocabulary, "rules/memory/x.rules", f'rule x {title}\nL function" {{\n  for each kernel k\n'
    )
    assert errors


@pytest.mark.parametrize("body", ["{}", "{ }", '{ "a text" }', "{ // a remark\n}", "{ { } }"])
def test_a_broken_rule_without_a_clause(body: str, vocabulary: Readings) -> None:
    errors, _ = survives(vocabulary, "rules/memory/x.rules", f'rule 5 "X" {body}\n')
    assert errors
