"""The rule files that the language's reference shows load beside the shipped ones; their examples hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.model.data_files import grammar_folder, knowledge_folder
from advisor.rules import RuleErrors, rulebook_from_texts, run_examples
from advisor.rules.checking import expansion
from advisor.rules.lint import remark_codes

REFERENCE = Path(__file__).parents[2] / "docs/rule-language.md"
_BLOCK = re.compile(r"^```rules\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_RULE = re.compile(r"^rule ([\w-]+)", re.MULTILINE)


def test_the_rules_that_are_shown_load_and_their_examples_hold() -> None:
    shipped = sorted(knowledge_folder().rglob("*.rules"))
    files = [(file.relative_to(knowledge_folder()).as_posix(), file.read_text("utf-8")) for file in shipped]
    blocks = _BLOCK.findall(REFERENCE.read_text("utf-8"))
    assert len(blocks) == 2
    for text in blocks:
        name = found[1] if (found := _RULE.search(text)) else "more"
        files.append((f"pack/{name}.rules", text))
    rulebook = rulebook_from_texts(files)
    assert not run_examples(rulebook)
    assert "hungry-kernel" in {rule.id for rule in rulebook.rules}
    assert {part for one in rulebook.overrides for part in one.scope.parts} == {"device", "path", "kernel"}
    assert len(rulebook.suppressions) == len(rulebook.renamed) == len(rulebook.retired) == 1
    metric = rulebook.metric("kernel", "waste")
    assert metric is not None and metric.computed is not None


def test_every_clause_and_item_of_the_language_is_in_the_reference() -> None:
    grammar = (grammar_folder() / "rules.lark").read_text("utf-8")
    _, _, of_rules = grammar.partition("\nclause:")
    clauses = set(re.findall(r"^ (?:     \| )?_([A-Z]+)", of_rules.partition("\n\n")[0], re.MULTILINE))
    items = re.search(r"^item: (.*)$", grammar, re.MULTILINE)
    assert items is not None
    assert {"FOR", "WHEN", "DEPRECATED", "EXAMPLE"} <= clauses
    text = REFERENCE.read_text("utf-8")
    names = [*(clause.lower() for clause in clauses), *items[1].split(" | ")]
    assert [name for name in names if f"| `{name} " not in text and f", `{name} " not in text] == []


def test_every_remark_of_lint_is_in_the_reference() -> None:
    text = REFERENCE.read_text("utf-8")
    assert [code for code in remark_codes() if f"`{code}`" not in text] == []


def test_the_limits_are_those_of_the_program() -> None:
    text = REFERENCE.read_text("utf-8")
    assert f"| terms of a rule, definitions put in | {expansion.LARGEST:,} |" in text
    deep = f"define deep(k) = {'(' * 150}k.registers{')' * 150} > 1\n"
    with pytest.raises(RuleErrors, match=r"nested more than (\d+) deep") as caught:
        rulebook_from_texts([("pack/deep.rules", deep)])
    found = re.search(r"nested more than (\d+) deep", str(caught.value))
    assert found is not None
    assert f"| nesting of an expression | {found[1]} |" in text
