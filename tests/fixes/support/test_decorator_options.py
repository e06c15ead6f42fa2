"""Options added to the decorator of a kernel, in the form that it is written in."""

from __future__ import annotations

import pytest

from advisor.fixes.application import applied
from advisor.fixes.support.edits.decorator_options import with_option
from advisor.fixes.support.edits.source_module import read_module
from advisor.model.findings import Fix

BODY = "\ndef k(x):\n    x[0] = 1\n"


def with_fastmath(decorator: str) -> str | None:
    text = decorator + BODY
    module = read_module(text)
    assert module is not None
    function = module.function_around(text.index("def k"))
    assert function is not None
    edit = with_option(module, function, "fastmath", "True")
    return applied(text, [Fix("", "safe", edits=(edit,))]).removesuffix(BODY) if edit else None


ADDED = [
    ("@cuda.jit", "@cuda.jit(fastmath=True)"),
    ("@jit", "@jit(fastmath=True)"),
    ("@numba.cuda.jit  # here", "@numba.cuda.jit(fastmath=True)  # here"),
    ("@cuda.jit()", "@cuda.jit(fastmath=True)"),
    ("@cuda.jit(opt=True)", "@cuda.jit(opt=True, fastmath=True)"),
    ("@cuda.jit('void(f4[:])')", "@cuda.jit('void(f4[:])', fastmath=True)"),
    ("@cuda.jit(opt=True,)", "@cuda.jit(opt=True, fastmath=True,)"),
    (
        "@cuda.jit('void(f4[:])',\n          opt=True)",
        "@cuda.jit('void(f4[:])',\n          opt=True,\n          fastmath=True)",
    ),
    ("@cuda.jit(\n    opt=True,  # best\n)", "@cuda.jit(\n    opt=True,\n    fastmath=True,  # best\n)"),
    ("@cuda.jit(\r\n    opt=True\r\n)", "@cuda.jit(\r\n    opt=True,\r\n    fastmath=True\r\n)"),
    ("@log\n@cuda.jit\n@other(1)", "@log\n@cuda.jit(fastmath=True)\n@other(1)"),
]
LEFT = [
    "@cuda.jit(fastmath=False)",
    "@cuda.jit(fastmath=FAST)",
    "@cuda.jit(**OPTIONS)",
    "@cuda.jit(*SIGNATURES)",
    "@compiled",
    "@jit(1)(2)",
    "@cuda.jit\n@jit",
    "",
]


@pytest.mark.parametrize(("before", "after"), ADDED)
def test_added(before: str, after: str) -> None:
    assert with_fastmath(before) == after


@pytest.mark.parametrize("decorator", LEFT)
def test_left(decorator: str) -> None:
    assert with_fastmath(decorator) is None
