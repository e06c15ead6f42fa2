"""The rule files that the language's reference shows load beside the shipped ones; their examples hold."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.data_files import knowledge_folder
from advisor.rules import rulebook_from_texts, run_examples

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
    assert len(rulebook.overrides) >= 3


def test_every_clause_of_the_language_is_in_the_reference() -> None:
    from advisor.rules.syntax import CLAUSES

    text = REFERENCE.read_text("utf-8")
    assert [clause for clause in CLAUSES if f"`{clause}" not in text and f", `{clause}" not in text] == []
