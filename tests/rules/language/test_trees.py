"""Trees from the tables of the grammar are Lark's trees, and the tables are kept in the user's folder."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest
from lark import Token, Tree
from lark.exceptions import LarkError

from advisor.model.data_files import knowledge_folder
from advisor.rules import load_rulebook
from advisor.rules.language import parse_tables
from advisor.rules.language.syntax import Reader
from advisor.rules.language.trees import Leaf, Node, of_lark, parse
from advisor.rules.loading.kept_rulebooks import pickled

FILES = sorted(knowledge_folder().rglob("*.rules"))
ITEMS = [chunk.text for file in FILES for chunk in Reader(file.name, file.read_text("utf-8")).chunks()]
OTHERS = [
    "edition 1", 'pack "house" version "1.2"', 'pack "house"', "renamed a-rule to b-rule",
    'retired old-rule "gone"', "define f(x) = x.a > 1 // the end",
    'override a-rule for device "A*" for path "x" { set most = -3 ms because "x" until 2027-01-31 }',
    'override a-rule { disable because "x" level warning because "y" }',
    'suppress a-rule where k.a > 1 and not k.b because "known" until 2027-01-31',
    'metric m : byte/count of kernel k range 0 .. 1e-3 "x" = k.a * 2 + min(k.b, -1)',
    "define f(x) = some access a of x has (a.b or (a.c and no b c of a has (c.d)))",
    'define f(x) = number of b c of x with (c.d in ("a", "b")) between 1 and 20% of x.e',
    'rule a "A" { param p = 3 given { k.x = -1 ms, a1.y = missing } example fires {} }',
    "define f(x) = x.a is known // said\n // of a and b\n and x.b is missing",
]  # fmt: skip


def parts(tree: Node | Leaf | Tree[Token] | Token | None) -> object:
    """A tree as nested tuples with every place."""
    if tree is None:
        return None
    if isinstance(tree, Node):
        return (tree.data, tree.start, tree.end, [parts(child) for child in tree.children])
    if isinstance(tree, Leaf):
        return (tree.type, tree.text, tree.start, tree.end)
    if isinstance(tree, Token):
        return (tree.type, str(tree), tree.start_pos, tree.end_pos)
    return (tree.data, tree.meta.start_pos, tree.meta.end_pos, [parts(child) for child in tree.children])


def larks(text: str) -> Tree[Token] | None:
    try:
        return parse_tables.lark_parser().parse(text, start="item")
    except LarkError:
        return None


@pytest.mark.parametrize("text", [*ITEMS, *OTHERS], ids=lambda text: " ".join(text.split()[:2]))
def test_a_tree_is_larks_tree(text):
    expected = larks(text)
    assert expected is not None
    assert parts(parse(text, "item")) == parts(expected) == parts(of_lark(expected))


def test_what_lark_refuses_is_refused():
    chance = random.Random(1)
    refused = 0
    for _ in range(400):
        words = chance.choice([*ITEMS, *OTHERS]).split(" ")
        at = chance.randrange(len(words))
        words[at : at + 1] = chance.choice([[], [words[at]] * 2, ["//"], ["/ /"], [chance.choice(words)]])
        text = " ".join(words)
        expected = larks(text)
        refused += expected is None
        assert parts(parse(text, "item")) == parts(expected), text
    assert 100 < refused < 400


@pytest.mark.parametrize(
    "text",
    [
        "",
        "// nothing",
        "edition",
        "edition 1 2",
        "edition 1 // x\n /",
        "define f(x) = x.a // b\n c",
        "édition 1",
    ],
)
def test_no_tree_of_what_is_no_item(text):
    assert larks(text) is None
    assert parse(text, "item") is None


def test_a_clause_is_parsed_on_its_own():
    tree = parse('unless k.a > 1 because "x"', "clause")
    assert tree is not None
    assert tree.data == "unless"
    assert parse('rule a "A" {}', "clause") is None


def test_the_tables_are_read_from_the_users_folder(tmp_path: Path, monkeypatch):
    made = parse_tables._kept_tables(tmp_path)
    monkeypatch.setattr(parse_tables, "_made", lambda: pytest.fail("they are kept"))
    assert parse_tables._kept_tables(tmp_path) == made


def test_damaged_tables_are_made_anew(tmp_path: Path):
    made = parse_tables._kept_tables(tmp_path)
    (file,) = tmp_path.glob("grammar-*.pickle")
    for damage in (file.read_bytes()[:100], b"", pickle.dumps("other")):
        file.write_bytes(damage)
        assert parse_tables._kept_tables(tmp_path) == made
    assert pickle.loads(file.read_bytes()) == made


def test_a_rulebook_is_read_back_as_it_was():
    book = load_rulebook([knowledge_folder()])
    assert pickle.loads(pickled(book)) == book


def test_a_kept_rulebook_holds_until_a_file_changes(tmp_path: Path):
    pack, kept = tmp_path / "pack", tmp_path / "kept"
    pack.mkdir()
    (pack / "words.rules").write_text('entity kernel "A kernel." { a : count "one" }\n')
    first = load_rulebook([pack], kept)
    (file,) = kept.glob("rulebook-*.pickle")
    assert load_rulebook([pack], kept) == first
    assert [*kept.glob("rulebook-*.pickle")] == [file]
    # As long as before, in the same instant.
    (pack / "words.rules").write_text('entity kernel "A kernel." { b : count "one" }\n')
    assert set(load_rulebook([pack], kept).metrics) == {("kernel", "b")}
