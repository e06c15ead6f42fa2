"""The shipped knowledge base: every rule loads, is complete, and its examples hold."""

from __future__ import annotations

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import Config
from advisor.rules.lint import lint
from advisor.rules.testing.coverage import cover, share_killed
from advisor.rules.testing.examples import example_verdict

BOOK = rulebook_for(Config(), cache=False)
RULES = {rule.id: rule for rule in BOOK.rules}
EXAMPLES = [(rule.id, number) for rule in BOOK.rules for number in range(len(rule.examples))]


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_the_examples_of_a_rule_hold(name: str, number: int) -> None:
    rule = RULES[name]
    example = rule.examples[number]
    assert example_verdict(BOOK, rule, example) == example.verdict, example.name


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_says_all_that_a_reader_needs(name: str) -> None:
    rule = RULES[name]
    assert rule.doc
    assert rule.why.endswith(".")
    assert all(line.endswith(".") for line in rule.advice), rule.advice
    assert any(source.url.startswith("https://") for source in rule.sources), rule.sources
    assert {"fires", "silent"} <= {example.verdict for example in rule.examples}


def test_examples_notice_nearly_every_change_of_a_rule() -> None:
    covered = cover(BOOK, BOOK.rules)
    assert sum(one.mutants for one in covered) > 5 * len(BOOK.rules)
    surviving = [f"{one.rule.id} {mutant.sentence}" for one in covered for mutant in one.surviving]
    assert share_killed(covered) >= 0.95, surviving


def test_there_is_nothing_to_remark() -> None:
    assert [f"{one.path}: {one.code} {one.sentence}" for one in lint(BOOK)] == []


def test_the_rules_of_the_first_document_are_there() -> None:
    # Document 000: memory bound, warp divergence, launch bound, low occupancy, copies, L2, idle GPU.
    wanted = {
        "memory-bound", "warp-divergence", "launch-bound", "low-occupancy", "high-memcpy-share",
        "poor-l2-locality", "gpu-underused",
    }  # fmt: skip
    assert wanted <= set(RULES)


def test_the_promised_cookbook_is_there() -> None:
    wanted = {
        "uncoalesced-access", "transposed-index", "float64-promotion", "shared-bank-conflict",
        "missing-bounds-check", "barrier-in-divergent-branch", "block-not-warp-multiple", "block-too-small",
        "grid-too-small", "register-spills", "local-array-dynamic-index", "occupancy-limited-by-registers",
        "occupancy-limited-by-shared-memory", "slow-power", "integer-division-in-loop",
        "launch-in-host-loop", "copy-in-host-loop", "host-array-argument", "debug-build",
    }  # fmt: skip
    assert wanted <= set(RULES)
