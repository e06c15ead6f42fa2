"""The names that are read without parsing are those that the parser finds, in whatever state a text is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.model.data_files import knowledge_folder
from advisor.rules.language.syntax import Reader
from advisor.rules.language.trees import Leaf, Node
from lsp_server.rule_files.text.read_file import read
from lsp_server.rule_files.text.symbols import Symbol

FILES = sorted(knowledge_folder().rglob("*.rules"))
# In a tree the parts of units are names, too; an example's `a1` is the first row of `a`.
_UNITS = {"count", "ratio", "text", "truth", "byte", "sectors", "request", "ms", "flop", "B", "s"}


def leaves(node: Node) -> Iterator[Leaf]:
    for child in node.children:
        if isinstance(child, Leaf):
            yield child
        elif child is not None:
            yield from leaves(child)


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_name_of_the_shipped_rules_is_known(file: Path):
    text = file.read_text("utf-8")
    found = {(name.start, name.end): name.symbol for name in read(text, dict).names}
    assert all(text[start:end] == symbol.name for (start, end), symbol in found.items())
    for chunk, tree in Reader(file.name, text).nodes():
        for leaf in leaves(tree):
            start, end = chunk.start + leaf.start + (leaf.type == "ATTR"), chunk.start + leaf.end
            word = text[start:end]
            if leaf.type not in ("NAME", "ATTR", "RULE_ID") or word in _UNITS:
                continue
            numbered = (start, start + len(word.rstrip("0123456789")))
            assert (start, end) in found or numbered in found, (word, text[start - 30 : end + 10])


def test_the_rows_that_given_names_are_known():
    text = """rule r "R" {
  for each kernel k
  when some access a of k has (a.sectors > 1)
  given { k.debug = false, a1.space = "global", k.run.total = 3 ms }
  example fires "f" { a2.sectors = 3 }
}
"""
    known = {text[name.start : name.end]: name.symbol.owner for name in read(text, dict).names}
    assert {
        "debug": "kernel",
        "space": "access",
        "sectors": "access",
        "total": "run",
    }.items() <= known.items()


def symbols(text: str, rules: dict[str, dict[str, str]] | None = None) -> list[Symbol]:
    return [name.symbol for name in read(text, lambda: rules or {}).names]


def test_a_quantifiers_variable_holds_in_its_brackets():
    text = (
        'define d(k) = some access a of k has (a.space = "x" and no atomic a of k has (a.spins)) '
        "and a.registers > 1"
    )
    metrics = [one for one in symbols(text) if one.kind == "metric"]
    assert metrics == [
        Symbol("metric", "access", "space"),
        Symbol("metric", "atomic", "spins"),
        # Behind the brackets `a` is no variable any more, so it can only be an entity.
        Symbol("metric", "a", "registers"),
    ]


def test_names_in_braces_of_texts_are_names_and_others_are_none():
    text = 'rule r "R" {\n  for each kernel k\n  param p = 1\n  say "{k.registers} p {p} {nothing} {k"\n}\n'
    found = [text[one.start : one.end] for one in read(text, dict).names if text[one.start - 1] in "{."]
    assert found == ["k", "registers", "p"]


def test_a_suppression_speaks_in_the_variables_of_its_rule():
    found = symbols('suppress r where o.depth >= most because "x"', {"r": {"o": "operation"}})
    assert found == [
        Symbol("rule", "", "r"),
        Symbol("variable", "r", "o"),
        Symbol("metric", "operation", "depth"),
        Symbol("param", "r", "most"),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        'rule r "R" {\n  for each kernel k\n  param p = 1\n  when k.registers > p and (\n',
        'rule r "R" {\n  for each kernel k\n  param p = 1\n  saay "\n  when k.registers > p\n}\n',
        'rule r "R" {{\n  for each kernel k\n  param p = 1 }\n  when k.registers > p\n',
    ],
)
def test_what_is_broken_takes_no_names_away_from_the_rest(broken):
    found = symbols(broken + "\nmetric m : ratio of kernel k = 1 - k.share\n")
    assert Symbol("metric", "", "") not in found
    assert Symbol("param", "r", "p") in found
    assert Symbol("metric", "kernel", "share") in found
