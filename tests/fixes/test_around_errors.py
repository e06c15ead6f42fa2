"""Fixes beside lines that do not parse: intact functions are mended, broken lines stay byte for byte."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from advisor.check.pipeline import check_with_tables
from advisor.fixes import known_fixes
from advisor.fixes.application import edited
from advisor.fixes.writing import FixWriter
from advisor.model.findings import Finding, Fix
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.text.source_text import SourceText
from advisor.model.text.syntax_recovery import fault_of, recovered

EXAMPLES = sorted((Path(__file__).parents[1] / "annotated" / "examples").glob("*.py"))
HALF_TYPED = [
    "x =", "foo(", "if x", "for i in range(", "a[", "x.", "return (", "s = 'abc", 's = """abc', "@",
    "def f(", "x = {", "while True", "import", "with ", "x +", "elif x:", "try:", ")", "x = 'größe 🚀", "\\",
]  # fmt: skip
KERNELS = """\
from numba import cuda

BLOCK = 128


@cuda.jit
def halve(a):
    i = cuda.grid(1)
    a[i] = a[i] ** 0.5


@cuda.jit
def fill(a):
    i = cuda.grid(1)
    a[i] = BLOCK


def run(a):
    d = cuda.to_device(a)
    halve[(a.size + 127) // 128, 128](d)
    fill[(a.size + BLOCK - 1) // BLOCK, BLOCK](d)
    return d.copy_to_host()


def other(b):
    return b
"""
GUARDED = "    if i < a.shape[0]:\n        a[i] = BLOCK\n"


def offered(text: str) -> Iterator[tuple[Finding, Fix]]:
    """The fixes with edits that the editor's writer has for a text."""
    root = Path.cwd()
    options = CheckOptions(
        device="a100-80gb", root=root, evidence="source", stdin=SourceText("k.py", text), workspace_files=(),
        fixes=False, proofs=False, no_run=True, jobs=1, settings=Config(root=root),
    )  # fmt: skip
    checked = check_with_tables([], options)
    writer = FixWriter(checked.texts, checked.tables or {}, frozenset(checked.report.unread))
    for finding in checked.report.findings:
        able = [fix for fix in known_fixes() if finding.rule in fix.rules]
        for fix in writer.with_edits(finding, able).fixes:
            if fix.edits:
                yield finding, fix


def fixes_by_kernel(text: str) -> dict[str, set[str]]:
    """The names of the fixes that are offered, by kernel."""
    found: dict[str, set[str]] = {"halve": set(), "fill": set()}
    for finding, fix in offered(text):
        found.setdefault(finding.kernel or "", set()).add(fix.id)
    return found


WHOLE = fixes_by_kernel(KERNELS)


def test_both_kernels_can_be_mended() -> None:
    assert {"bounds-check", "power-to-product"} <= WHOLE["halve"]
    assert "bounds-check" in WHOLE["fill"]


def test_a_half_typed_line_of_another_function_takes_no_fix_away() -> None:
    found = fixes_by_kernel(KERNELS.replace("    return b\n", "    c = (b +\n    return b\n"))
    assert found["halve"] == WHOLE["halve"] and found["fill"] == WHOLE["fill"]


def test_the_function_of_the_half_typed_line_has_no_fixes() -> None:
    found = fixes_by_kernel(KERNELS.replace("    a[i] = BLOCK\n", "    a[i] = BLOCK\n    x = (\n"))
    assert found["halve"] == WHOLE["halve"] and found["fill"] == set()


def test_an_edit_is_at_its_place_in_the_real_text() -> None:
    text = KERNELS.replace("    return b\n", "    c = (b + 'größe 🚀\n    return b\n")
    (fix,) = [one for finding, one in offered(text) if finding.kernel == "fill" and one.id == "bounds-check"]
    assert edited(text, fix.edits) == text.replace("    a[i] = BLOCK\n", GUARDED)


@pytest.mark.parametrize(
    ("line", "unchanged", "without"),
    [
        # A launch that is being typed: nobody knows with which block.
        ("    halve[a.size // 64, 64](", "fill", "halve"),
        ("    todo = [fill, ", "halve", "fill"),
        # A name that is only read is not what the function binds.
        ("    c = (BLOCK +", "fill", ""),
        ("    c = cuda.to_device(", "fill", ""),
    ],
)
def test_what_a_broken_line_names_is_left_alone(line: str, unchanged: str, without: str) -> None:
    found = fixes_by_kernel(KERNELS.replace("    return b\n", f"{line}\n    return b\n"))
    assert found[unchanged] == WHOLE[unchanged]
    assert not without or found[without] == set()


@pytest.mark.parametrize(
    "line", ["BLOCK = (", "from sizes import (BLOCK", "for BLOCK in (", "BLOCK, other = ("]
)
def test_a_name_of_the_module_that_a_broken_line_may_bind_is_not_relied_on(line: str) -> None:
    found = fixes_by_kernel(KERNELS.replace("BLOCK = 128\n", f"BLOCK = 128\n{line}\n"))
    assert found["fill"] == set()


@pytest.mark.parametrize(("declared", "kept"), [("", WHOLE["fill"]), ("    global BLOCK\n", set())])
def test_a_name_that_a_torn_function_declares_global_is_not_relied_on(declared: str, kept: set[str]) -> None:
    torn = f"{declared}    BLOCK = (\n    return b\n"
    assert fixes_by_kernel(KERNELS.replace("    return b\n", torn))["fill"] == kept


def test_of_a_torn_factory_the_kernel_inside_is_mended_where_it_uses_none_of_the_broken_names() -> None:
    text = (
        "from numba import cuda\n\n\n"
        "def make(n, m):\n    @cuda.jit\n    def k(a):\n        i = cuda.grid(1)\n"
        "        a[i] = {value} ** 0.5\n\n    {name} = (\n    return k\n"
    )
    assert "power-to-product" in {fix.id for _, fix in offered(text.format(value="n", name="m"))}
    assert {fix.id for _, fix in offered(text.format(value="n", name="n"))} == set()


def test_a_launch_in_a_torn_function_is_not_edited() -> None:
    text = (
        "from numba import cuda\n\n\n"
        "@cuda.jit\ndef add(a, out):\n    i = cuda.grid(1)\n    n = out.shape[0]\n    if i < n:\n"
        "        out[i] = a[i] + 1\n\n\n"
        "def run(a, out):\n    add[(out.size + 99) // 100, 100](a, out)\n    return out\n"
    )
    assert "block-size" in {fix.id for _, fix in offered(text)}
    beside = f"{text}\n\ndef other(b):\n    c = (\n"
    assert "block-size" in {fix.id for _, fix in offered(beside)}
    torn = text.replace("    return out\n", "    c = (\n    return out\n")
    assert "block-size" not in {fix.id for _, fix in offered(torn)}


def broken_lines(text: str) -> list[str]:
    """The lines that cannot be read, as they stand."""
    read = recovered(text)
    assert read is not None
    lines = text.split("\n")
    return [line for one in read.broken for line in lines[one.first - 1 : one.last]]


def intact_functions(text: str) -> list[str]:
    """The names of the functions that can be read, in order."""
    read = recovered(text)
    assert read is not None
    return [
        node.name
        for node in ast.walk(ast.parse(read.text))
        if isinstance(node, ast.FunctionDef) and node.lineno not in read.unread
    ]


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_every_offered_fix_applies_and_broken_lines_stay(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(EXAMPLES)).read_text("utf-8")
    lines = text.split("\n")
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(lines) - 1))
        margin = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines.insert(at, margin + data.draw(st.sampled_from(HALF_TYPED)))
    text = "\n".join(lines)
    read = recovered(text)
    assume(read is not None)
    assert read is not None
    before, names = broken_lines(text), intact_functions(text)
    for _, fix in offered(text):
        assert not any(edit.path for edit in fix.edits)
        after = edited(text, fix.edits)
        assert after != text
        assert fault_of(edited(read.text, fix.edits)) is None
        assert broken_lines(after) == before
        assert set(names) <= set(intact_functions(after))
