"""The values of host expressions, compared with what NumPy makes of the same programs: unknown, never wrong."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.text.source_text import SourceText
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import Array, Number, Value
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module

DTYPES = ("np.float32", "np.float64", "np.int32", "np.int64", "np.uint8", "np.complex64", "bool")
SHAPES = ("3", "(4,)", "(2, 3)", "(3, 2)", "(2, 2)", "(1, 3)", "(2, 3, 4)", "(2, 1, 3)")
MADE = (
    "np.zeros({shape}, {dtype})", "np.ones({shape}, dtype={dtype})", "np.empty({shape}, {dtype}, 'F')",
    "np.full({shape}, 2)", "np.full({shape}, 2.5, {dtype}, order='F')", "np.arange(6)", "np.arange(1.0, 4)",
    "np.arange(1, 9, 2, dtype={dtype})", "np.linspace(0, 1, 5)", "np.eye(3)", "np.eye(2, 3, dtype={dtype})",
    "np.array([[1, 2], [3, 4]])", "np.array([1, 2.5])", "np.array(7)", "np.identity(2, {dtype})",
    "np.random.rand(2, 3)", "np.random.randint(0, 5, (2, 2))", "np.random.normal(0, 1, 4)", "np.diag([1, 2])",
    "np.meshgrid(np.arange(2), np.arange(3))[0]", "np.random.rand()", "2", "2.5", "np.float32(2)",
)  # fmt: skip
CHANGED = (
    "{a}.T", "{a}.copy()", "{a}.copy(order='K')", "{a}.astype({dtype})", "{a}.astype({dtype}, order='F')",
    "np.asfortranarray({a})", "np.ascontiguousarray({a})", "np.array({a}, order='A')", "np.zeros_like({a})",
    "np.ones_like({a}, dtype={dtype})", "np.empty({a}.shape, {dtype})", "np.zeros(len({a}))", "{a}.ravel()",
    "{a}.flatten()", "{a}.reshape(-1)", "{a}.reshape({a}.shape)", "{a}.reshape(3, 2)", "{a}.reshape(2, -1)",
    "{a}.reshape((-1, 2), order='F')", "np.reshape({a}, (1, -1))", "np.transpose({a})", "{a}.transpose(1, 0)",
    "{a}.swapaxes(0, 1)", "{a}[0]", "{a}[1:]", "{a}[::2]", "{a}[:, 0]", "{a}[:, 1:]", "{a}[-1, :]", "{a}[0, 1]",
    "{a}[:1]", "{a}[{a} > 0]", "{a}[[0, 1]]", "{a} + {b}", "{a} * 2", "{a} / 2", "{a} - 0.5", "-{a}", "{a} ** 2",
    "{a} // {b}", "{a} @ {b}", "{a} > {b}", "np.sqrt({a})", "{a}.view()", "{a}.shape[0]", "np.diag({a})",
    "np.full({a}.shape, {a}.size)", "np.concatenate(({a}, {b}))", "np.stack([{a}, {b}])", "{a} if flag else {b}",
    "same({a})", "flipped({a})", "filled({a}.ndim + 1)", "next_power({a}, 2)",
)  # fmt: skip
FUNCTIONS = """
import numpy as np
GLOBAL = np.ones((2, 3), np.float32)

def same(x):
    return x

def flipped(x, twice=False):
    if twice:
        return flipped(x.T)
    return x.T

def filled(n, dtype=np.float32):
    return np.zeros((n, 2), dtype)

def next_power(x, n):
    if n == 0:
        return x
    return next_power(x * x, n - 1)
"""


@st.composite
def statements(draw: st.DrawFn, deep: int = 2) -> list[str]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["make", "change", "change", "change", "if", "for", "aug", "swap", "while"]))
        names = {key: draw(st.sampled_from("xyz")) for key in "ab"}
        dtype, target = draw(st.sampled_from(DTYPES)), draw(st.sampled_from("xyz"))
        if kind == "make":
            text = draw(st.sampled_from(MADE)).format(shape=draw(st.sampled_from(SHAPES)), dtype=dtype)
            found.append(f"{target} = {text}")
        elif kind == "aug":
            found.append(f"{target} {draw(st.sampled_from(['+', '*']))}= {draw(st.sampled_from(['1', names['a']]))}")
        elif kind == "swap":
            found.append(f"{names['a']}, {names['b']} = {names['b']}, {target}")
        elif kind == "change" or deep == 0:
            found.append(f"{target} = {draw(st.sampled_from(CHANGED)).format(dtype=dtype, **names)}")
        else:
            inner = ["    " + line for line in draw(statements(deep - 1))]
            heads = {"if": "if flag:", "for": draw(st.sampled_from(["for _ in range(2):", f"for {target} in {names['a']}:"]))}
            heads["while"] = "while again():"
            found += [heads[kind], *inner]
            if kind == "if" and draw(st.booleans()):
                found += ["else:", *("    " + line for line in draw(statements(deep - 1)))]
    return found


def told(text: str) -> list[tuple[ast.Call, Value]]:
    """The value of the argument of each call of `seen`."""
    module = parse_module(SourceText("program.py", text))
    values = HostValues(Workspace(Path()))
    calls = [one for one in module.calls if isinstance(one.func, ast.Name) and one.func.id == "seen"]
    function = module.top_level.get("run")
    assert not isinstance(function, ast.ClassDef)
    return [(one, values.of(one.args[1], values.frame(module, function))) for one in calls]


def fits(value: Value, actual: object) -> bool:
    """Whether all that is known of a value is true of an actual one."""
    if isinstance(value, Number):
        number = not isinstance(actual, np.ndarray) and np.isscalar(actual)
        dtype = value.dtype in (None, numba_name(np.asarray(actual).dtype)) if number else False
        return number and dtype and (value.value is None or value.value == actual)
    if not isinstance(value, Array):
        return True
    if not isinstance(actual, np.ndarray):
        return value.element
    dtype = value.dtype in (None, numba_name(actual.dtype))
    dims = value.dims in (None, actual.ndim)
    shape = not dims or value.shape is None or all(a in (None, b) for a, b in zip(value.shape, actual.shape, strict=True))
    flags = {"C": actual.flags.c_contiguous, "F": actual.flags.f_contiguous}
    return dtype and dims and shape and flags.get(str(value.order), True) and value.copied_by_launch is not False


def numba_name(dtype: np.dtype) -> str:
    return "boolean" if dtype == bool else str(dtype)


@settings(max_examples=500, deadline=None)
@given(statements(), st.booleans())
def test_what_is_known_of_a_value_is_true_of_the_program(body: list[str], flag: bool) -> None:
    lines = ["x = np.zeros((2, 3))", "y = np.arange(4)", "z = GLOBAL", *body]
    marked = []
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        marked.append(line)
        if not line.endswith(":"):
            marked += [f"{indent}seen({len(marked) * 3 + at}, {name})" for at, name in enumerate("xyz")]
            if line in lines[:2]:
                del marked[-3:]
    text = FUNCTIONS + "def run(flag):\n" + "".join(f"    {line}\n" for line in marked)
    actual: dict[int, list[object]] = {}
    turns = iter([True, False, True, False, True, False])
    names = {
        "seen": lambda at, value: actual.setdefault(at, []).append(value),
        "again": lambda: next(turns, False),
    }
    exec(compile(text, "program.py", "exec"), names)
    try:
        with np.errstate(all="ignore"):
            names["run"](flag)
    except Exception:
        pass  # what the program did before it failed is compared all the same
    for call, value in told(text):
        at = ast.literal_eval(call.args[0])
        for one in actual.get(at, []):
            place = f"line {call.lineno}: {value} is not {one!r} in\n{text}"
            assert fits(value, one), place
