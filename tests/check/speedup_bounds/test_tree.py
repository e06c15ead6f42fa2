"""The questions of a diagnosis name rules, metrics and resources that exist, and leave no limiter out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.evidence.metrics.tables import KERNEL_ENTITIES
from advisor.model.data_files import knowledge_folder
from advisor.model.settings.config import Config

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# What `time_limiter` may be; the model's numbers say which resources there are.
LIMITERS = {
    "dram",
    "l2",
    "l1",
    "shared",
    "lsu",
    "issue",
    "fp32",
    "fp64",
    "special",
    "multiply",
    "tensor",
    "atomics",
    "latency",
}


def test_every_limiter_belongs_to_one_class():
    named = [one for group in diagnosis_tree().classes for one in group.limiters]
    assert sorted(named) == sorted(LIMITERS)


@pytest.mark.parametrize("limiter", sorted(LIMITERS))
def test_the_metric_says_that_there_is_such_a_limiter(limiter):
    text = (knowledge_folder() / "metrics" / "kernel.rules").read_text("utf-8")
    line = next(one for one in text.splitlines() if one.strip().startswith("time_limiter"))
    assert limiter in line


def test_every_rule_and_metric_exists():
    rulebook, tree = rulebook_for(Config()), diagnosis_tree()
    for question in tree.questions.values():
        missing = [name for name in question.rules if rulebook.rule(name) is None]
        assert not missing, f"{question.id} names {missing}"
        missing = [
            name
            for name in question.metrics
            if not any(rulebook.metric(one, name) for one in KERNEL_ENTITIES)
        ]
        assert not missing, f"{question.id} names {missing}"
        assert question.helps <= LIMITERS


def test_every_question_is_asked():
    tree = diagnosis_tree()
    asked = {name for one in tree.classes for name in one.steps}
    assert asked <= set(tree.questions)
    assert {one.id for one in tree.questions.values() if not one.always} == asked


def test_the_questions_for_a_class_come_in_its_order_and_the_common_ones_last():
    tree = diagnosis_tree()
    memory = tree.class_of("l2")
    assert memory is not None and memory.id == "memory"
    asked = [one.id for one in tree.questions_for(memory)]
    assert asked[:3] == ["coalescing", "reuse", "cache"]
    assert asked[-2:] == ["overhead", "library"]
    assert [one.id for one in tree.questions_for(None)] == list(tree.questions)


def test_a_rule_of_two_questions_relieves_what_both_name():
    tree = diagnosis_tree()
    assert tree.relieved_by("float64-promotion") == {"fp64", "special", "issue", "latency"}
    assert tree.relieved_by("no-such-rule") == set()


def test_the_file_has_nothing_that_is_not_read():
    data = tomllib.loads(Path(knowledge_folder() / "diagnosis.toml").read_text("utf-8"))
    assert set(data) == {"numbers", "limits", "classes", "steps"}
    for step in data["steps"]:
        assert set(step) <= {"id", "question", "helps", "metrics", "rules", "always"}
