"""What is read of a text with syntax errors: a half-typed line costs its own function, and nothing moves."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from advisor.check.pipeline import check
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.text.source_text import SourceText
from advisor.model.text.syntax_recovery import recovered
from advisor.model.text.syntax_trees import syntax_tree

KERNEL = """\
@cuda.jit
def {name}(a, out):
    \"\"\"A kernel.

Text at the margin.
    \"\"\"
    i = cuda.grid(1)
    if i < out.size:
        for k in range(4):
            out[i] += a[i] ** 0.5
    else:
        out[0] = 1.0
"""
NAMES = ("one", "two", "three", "four")
TEXT = "from numba import cuda\n\n\n" + "\n\n".join(KERNEL.format(name=name) for name in NAMES)
HALF_TYPED = [
    "x =", "foo(", "if x", "for i in range(", "a[", "x.", "return (", "s = 'abc", 's = """abc', "@", "def",
    "def f(", "x = {", "while True", "import", "with ", "x +", "elif x:", "x = [1, 2", "try:", "if x:",
    "except",
    "cuda.atomic.add(out, 0,", "class", "lambda", ")", "x = 'größe", "\tx = (", "\\",
]  # fmt: skip


def found(text: str) -> dict[str, list[tuple[str, int, int]]]:
    """The findings of each kernel: rule, line from the kernel's head, column."""
    root = Path.cwd()
    options = CheckOptions(
        device="a100-80gb", root=root, evidence="source", stdin=SourceText("k.py", text), workspace_files=(),
        fixes=False, proofs=False, no_run=True, jobs=1, settings=Config(root=root),
    )  # fmt: skip
    lines = text.split("\n")
    heads = {
        name: lines.index(f"def {name}(a, out):") + 1 for name in NAMES if f"def {name}(a, out):" in lines
    }
    result: dict[str, list[tuple[str, int, int]]] = {name: [] for name in heads}
    for one in check([], options).findings:
        name = one.kernel or ""
        if name in result:
            result[name].append((one.rule, one.span.line - heads[name], one.span.column))
    return result


BEFORE = found(TEXT)


def test_the_kernels_have_findings() -> None:
    assert all(BEFORE[name] == BEFORE["one"] != [] for name in NAMES)


def test_a_session_with_half_typed_lines_keeps_the_findings_of_all_other_functions() -> None:
    rng = random.Random(1)
    lines = TEXT.split("\n")
    tried = 0
    while tried < 60:
        name = rng.choice(NAMES)
        head = lines.index(f"def {name}(a, out):")
        at = head + rng.randrange(6, 11)
        margin = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        text = "\n".join([*lines[:at], margin + rng.choice(HALF_TYPED), *lines[at:]])
        if recovered(text) is None:
            continue
        tried += 1
        after = found(text)
        others = [other for other in NAMES if other != name]
        assert {one: after[one] for one in others} == {one: BEFORE[one] for one in others}, text
        assert after[name] == []


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_what_is_left_has_its_places(data: st.DataObject) -> None:
    lines = TEXT.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    margin = " " * data.draw(st.sampled_from([0, 1, 4, 8, 9]))
    text = "\n".join([*lines[:at], margin + data.draw(st.sampled_from(HALF_TYPED)), *lines[at:]])
    read = recovered(text)
    if read is None:
        return
    syntax_tree(read.text)
    before, after = text.split("\n"), read.text.split("\n")
    assert [len(line) for line in after] == [len(line) for line in before]
    blank = {line for one in read.broken for line in range(one.first, one.last + 1)}
    assert all(before[line - 1] == after[line - 1] for line in range(1, len(before) + 1) if line not in blank)
    assert all(set(after[line - 1]) <= {" ", "\t", "0"} for line in blank)
    assert blank <= read.unread
    assert len(read.faults) == len(read.broken)
    for one, fault in zip(read.broken, read.faults, strict=True):
        # What is missing after a line is noticed at the next statement.
        after_it = next(
            (at for at in range(one.last + 1, len(before) + 1) if before[at - 1].strip()), one.last
        )
        assert one.first <= fault.line <= after_it


# An escape that Python warns of.
@example(":\n'\\:'")
@given(st.text(alphabet="ab(:)[]{}'\"\\\n\t #=@0é,.", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_not_and_keeps_its_length(text: str) -> None:
    read = recovered(text)
    if read is not None:
        syntax_tree(read.text)
        assert len(read.text) == len(text)


BROKEN = {
    "an unclosed bracket": ("def a():\n    f(\n    x = 1\n\n\ndef b():\n    pass\n", [(2, 2)], (2, 6)),
    "an unclosed string of three quotes": (
        'def a():\n    x = """q\n\n\ndef b():\n    """Doc."""\n', [(2, 2)], (2, 9),
    ),
    "a head": ("def a(:\n    x = 1\n\n\ndef b():\n    pass\n", [(1, 2)], (1, 7)),
    "a decorator": ("@d(\ndef a():\n    pass\n\n\ndef b():\n    pass\n", [(1, 1)], (1, 3)),
    "a decorator of nothing": ("@d(\n\n\n@e\ndef b():\n    pass\n", [(1, 1)], (1, 3)),
    "a line too far left": ("def a():\n    x = 1\ny = 2\n    z = 3\n", [(3, 3)], (4, 4)),
    "a line too far right": ("def a():\n    x = 1\n        y = 2\n", [(3, 3)], (3, 8)),
    "a method": (
        "class A:\n    def a(self):\n        x = (\n\n    def b(self):\n        pass\n", [(3, 3)], (3, 13),
    ),
    "no body": ("def a():\n    if x:\n\n\ndef b():\n    pass\n", [(2, 2)], (5, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_the_broken_lines_and_what_the_parser_says(name: str) -> None:
    text, broken, place = BROKEN[name]
    read = recovered(text)
    assert read is not None
    assert [(one.first, one.last) for one in read.broken] == broken
    assert (read.faults[0].line, read.faults[0].column) == place
    names = {node.name for node in ast.walk(syntax_tree(read.text)) if isinstance(node, ast.FunctionDef)}
    assert "b" in names or "b()" not in text


def test_every_broken_place_is_told() -> None:
    read = recovered("def a():\n    x =\n\n\ndef b():\n    y = 1\n\n\ndef c():\n    z = )\n")
    assert read is not None
    assert [(one.line, one.message) for one in read.faults] == [
        (2, "syntax error: invalid syntax"),
        (10, "syntax error: unmatched ')'"),
    ]
    assert read.unread == {1, 2, 9, 10}


def test_of_a_factory_the_kernel_inside_stays() -> None:
    text = "def make(n):\n    @cuda.jit\n    def k(a):\n        a[0] = n\n\n    x = (\n    return k\n"
    read = recovered(text)
    assert read is not None
    assert read.unread == {1, 5, 6, 7}


@pytest.mark.parametrize("text", ["", "x = 1\n", "def f():\n    pass\n", "x = 1  # (\n"])
def test_what_parses_is_not_recovered(text: str) -> None:
    assert recovered(text) is None
