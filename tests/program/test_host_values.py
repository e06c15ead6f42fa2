"""The values of host expressions, compared with what NumPy makes of the same programs."""

from __future__ import annotations

import ast
import contextlib
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.text.source_text import SourceText
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import UNKNOWN, Array, Number, Order, Value
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
    "np.frombuffer(bytes(48), {dtype})", "np.fromiter((1, 2), {dtype})", "np.arange(2 ** 3)", "2 ** 3",
    "2 ** -1",
)  # fmt: skip
CHANGED = (
    "{a}.T", "{a}.copy()", "{a}.copy(order='K')", "{a}.astype({dtype})", "{a}.astype({dtype}, order='F')",
    "np.asfortranarray({a})", "np.ascontiguousarray({a})", "np.array({a}, order='A')", "np.zeros_like({a})",
    "np.ones_like({a}, dtype={dtype})", "np.empty({a}.shape, {dtype})", "np.zeros(len({a}))", "{a}.ravel()",
    "{a}.flatten()", "{a}.reshape(-1)", "{a}.reshape({a}.shape)", "{a}.reshape(3, 2)", "{a}.reshape(2, -1)",
    "{a}.reshape((-1, 2), order='F')", "np.reshape({a}, (1, -1))", "np.transpose({a})", "{a}.transpose(1, 0)",
    "{a}.swapaxes(0, 1)", "{a}[0]", "{a}[1:]", "{a}[::2]", "{a}[:, 0]", "{a}[:, 1:]", "{a}[-1, :]",
    "{a}[0, 1]", "{a}[:1]", "{a}[{a} > 0]", "{a}[[0, 1]]", "{a} + {b}", "{a} * 2", "{a} / 2", "{a} - 0.5",
    "-{a}", "{a} ** 2", "3 ** {a}.ndim", "2 ** {a}",
    "np.argsort({a})", "{a}.argsort()", "np.argsort({a}, axis=None)", "np.argsort({a}, 0)",
    "np.searchsorted(np.arange(3), {a})", "np.digitize({a}, [1, 2])", "np.argsort({a}.T)",
    "{a} // {b}", "{a} @ {b}", "{a} > {b}", "np.sqrt({a})", "{a}.view()", "{a}.shape[0]",
    "np.diag({a})", "np.full({a}.shape, {a}.size)", "np.concatenate(({a}, {b}))", "np.stack([{a}, {b}])",
    "np.concatenate(({a}, {b}), axis=-1)", "np.concatenate([{a}, {b}], None)",
    "np.stack(({a}, {b}), axis=-1)", "np.stack([{a}, {b}], 1)", "np.vstack(({a}, {b}))",
    "np.hstack([{a}, {b}])", "np.column_stack(({a}, {b}))",
    "np.meshgrid({a}, {b})[1]", "np.meshgrid({a}, {b}, indexing='ij')[0]",
    "np.meshgrid({a}, {b}, np.arange(3))[2]",
    "{a} if flag else {b}", "same({a})", "flipped({a})", "filled({a}.ndim + 1)", "next_power({a}, 2)",
    "len({a})", "{a}.size", "{a}.nbytes // {a}.itemsize", "({a}.size + 3) // 4", "{a}.shape[-1] % 3",
    "{a} % {b}", "-(-{a}.size // 4)", "math.ceil({a}.size / 4)", "min({a}, {b})", "max(len({a}), {b})",
    "abs(2 - {a}.size)", "int({a})", "float({a})", "{a} - {b}", "{a} * {b}", "{a} / {b}", "1 << {a}",
    "{a} >> 1", "np.ceil({a} / 2)", "math.sqrt({a})", "int(np.ceil({a}.size / 4))", "np.zeros({a})",
    "np.ones(({a}, 2))", "np.int64({a})",
    "{a}.size if flag else 3", "np.zeros(max({a}, 1))[:{b}]", "[{a}, {b}][1]", "{{'k': {a}, 'm': {b}}}['m']",
    "kept[0]", "kept[-1]", "held['k']", "[v for v in ({a}, {b})][0]",
    "[np.zeros((n, 2)) for n in range(3)][2]",
)  # fmt: skip
# What binds two names, or changes what a list or a dictionary holds.
COLLECTED = (
    "x, y = (same(v) for v in ({a}, {b}))", "y, z = [flipped(v) for v in ({a}, {b})]",
    "x, z = map(flipped, ({a}, {b}))", "kept = [{a}, {b}]", "kept = [v.T for v in [{a}, {b}]]",
    "kept[0] = {a}", "kept.append({a})", "held = {{'k': {a}}}", "held['k'] = {a}", "held.update(k={a})",
    "other = kept; other[0] = {b}", "changed(held, {a})", "x = [x for x in ({a}, {b})][1]",
)  # fmt: skip
FUNCTIONS = """
import math
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

def changed(held, x):
    held["k"] = x

def next_power(x, n):
    if n == 0:
        return x
    return next_power(x * x, n - 1)
"""


@st.composite
def statements(draw: st.DrawFn, deep: int = 2) -> list[str]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(
            st.sampled_from(
                ["make", "change", "change", "change", "if", "for", "aug", "swap", "while", "collect"]
            )
        )
        names = {key: draw(st.sampled_from("xyz")) for key in "ab"}
        dtype, target = draw(st.sampled_from(DTYPES)), draw(st.sampled_from("xyz"))
        if kind == "make":
            text = draw(st.sampled_from(MADE)).format(shape=draw(st.sampled_from(SHAPES)), dtype=dtype)
            found.append(f"{target} = {text}")
        elif kind == "aug":
            sign, other = draw(st.sampled_from("+*")), draw(st.sampled_from(["1", names["a"]]))
            found.append(f"{target} {sign}= {other}")
        elif kind == "swap":
            found.append(f"{names['a']}, {names['b']} = {names['b']}, {target}")
        elif kind == "collect":
            found.append(draw(st.sampled_from(COLLECTED)).format(**names))
        elif kind == "change" or deep == 0:
            found.append(f"{target} = {draw(st.sampled_from(CHANGED)).format(dtype=dtype, **names)}")
        else:
            inner = ["    " + line for line in draw(statements(deep - 1))]
            loop = draw(st.sampled_from(["for _ in range(2):", f"for {target} in {names['a']}:"]))
            heads = {"if": "if flag:", "for": loop, "while": "while again():"}
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


def within(number: Number, actual: Any) -> bool:
    """Whether a number lies between the bounds that are known of it."""
    if isinstance(actual, complex):
        return number.low is number.high is None
    return (number.low is None or number.low <= actual) and (number.high is None or actual <= number.high)


def fits(value: Value, actual: object) -> bool:
    """Whether all that is known of a value is true of an actual one."""
    if isinstance(value, Number):
        number = not isinstance(actual, np.ndarray) and np.isscalar(actual)
        dtype = value.dtype in (None, numba_name(np.asarray(actual).dtype)) if number else False
        return number and dtype and within(value, actual)
    if not isinstance(value, Array):
        return True
    if not isinstance(actual, np.ndarray):
        return value.element
    dtype = value.dtype in (None, numba_name(actual.dtype))
    dims = value.dims in (None, actual.ndim)
    shape = not dims or value.sizes is None or all(map(within, value.sizes, actual.shape))
    flags = {"C": actual.flags.c_contiguous, "F": actual.flags.f_contiguous}
    return (
        dtype and dims and shape and flags.get(str(value.order), True) and value.copied_by_launch is not False
    )


def observed(text: str, flag: bool) -> dict[int, list[object]]:
    """What each call of `seen` gets as the program runs, until its end or its first error."""
    actual: dict[int, list[object]] = {}
    iterations = iter([True, False, True, False, True, False])
    names: dict[str, object] = {
        "seen": lambda at, value: actual.setdefault(at, []).append(value),
        "again": lambda: next(iterations, False),
    }
    exec(compile(text, "program.py", "exec"), names)
    run = names["run"]
    assert callable(run)
    with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        run(flag)
    return actual


def numba_name(dtype: np.dtype) -> str:
    return "boolean" if str(dtype) == "bool" else str(dtype)


@settings(max_examples=250, deadline=None)
@given(statements(), st.booleans())
def test_what_is_known_of_a_value_is_true_of_the_program(body: list[str], flag: bool) -> None:
    marked = ["x, y, z = np.zeros((2, 3)), np.arange(4), GLOBAL", "kept, held = [x, y], {'k': z}"]
    for line in body:
        indent = line[: len(line) - len(line.lstrip())]
        marked.append(line)
        if not line.endswith(":"):
            marked += [f"{indent}seen({len(marked) * 3 + at}, {name})" for at, name in enumerate("xyz")]
    text = FUNCTIONS + "def run(flag):\n" + "".join(f"    {line}\n" for line in marked)
    actual = observed(text, flag)
    for call, value in told(text):
        at = ast.literal_eval(call.args[0])
        for one in actual.get(at, []):
            place = f"line {call.lineno}: {value} is not {one!r} in\n{text}"
            assert fits(value, one), place


def value_of(body: str, before: str = "", expression: str = "a") -> Value:
    """The value of an expression behind the statements of a function."""
    text = "import math\nimport numpy as np\nimport cupy as cp\nfrom numba import cuda\n" + before
    text += "def run(p, flag):\n" + "".join(
        f"    {line}\n" for line in [*body.splitlines(), f"seen(0, {expression})"]
    )
    return told(text)[-1][1]


Known = tuple[str | None, str | None, tuple[int | None, ...] | None, Order]


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("a = np.zeros((3, 4), np.float32)", ("host", "float32", (3, 4), "C")),
        ("a = np.zeros((3, 4)).T", ("host", "float64", (4, 3), "F")),
        ("a = np.zeros((3, 4))[1:, 2]", ("host", "float64", (2,), "unknown")),
        ("a = np.zeros((3, 4))[1:]", ("host", "float64", (2, 4), "C")),
        ("a = np.zeros((4, 5))[::2, 1:]", ("host", "float64", (2, 4), "unknown")),
        # 12 elements in rows of 4.
        ("a = np.arange(12).reshape(-1, 4)", ("host", "int64", (3, 4), "C")),
        ("a = np.ones((3, 1), np.int32) + np.ones(4, np.float32)", ("host", "float64", (3, 4), "C")),
        ("a = cuda.to_device(np.ones(5, np.int8))", ("device", "int8", (5,), "C")),
        ("a = cuda.device_array((p, 2), order='F')", ("device", "float64", (None, 2), "F")),
        ("a = cuda.pinned_array(7, np.float32)", ("pinned", "float32", (7,), "C")),
        ("a = cuda.mapped_array((2, 2))", ("mapped", "float64", (2, 2), "C")),
        ("a = cuda.managed_array(3, dtype=np.int16)", ("managed", "int16", (3,), "C")),
        ("a = cuda.to_device(np.zeros((2, 3)).T).copy_to_host()", ("host", "float64", (3, 2), "F")),
        ("a = cp.asarray(np.zeros((2, 3), order='F')).get()", ("host", "float64", (2, 3), "C")),
        ("a = cp.zeros_like(np.zeros(4))", ("device", "float64", (4,), "C")),
        ("a = np.zeros_like(cp.zeros(4))", ("device", "float64", (4,), "C")),
        ("a = np.stack([np.zeros(4)] * 1 + [np.ones(4)])", ("host", None, None, None)),
        (
            "a = np.column_stack((np.zeros(4, np.float32), np.ones(4, np.float32)))",
            ("host", "float32", (4, 2), None),
        ),
        ("a = np.concatenate([np.zeros((2, 3)), np.ones((3, 3))])", ("host", "float64", (5, 3), None)),
        ("a, b = np.meshgrid(np.arange(4), np.arange(5))", ("host", "int64", (5, 4), None)),
        (
            "a, b = (cuda.to_device(one) for one in (np.zeros(3), np.ones(2)))",
            ("device", "float64", (3,), "C"),
        ),
        ("b, a = map(cuda.to_device, (np.zeros(3), np.ones(2)))", ("device", "float64", (2,), "C")),
        ("b = [cuda.device_array((n, 4)) for n in range(3)]\na = b[2]", ("device", "float64", (2, 4), "C")),
        ("b = {'u': np.zeros(3), 'v': np.ones(2)}\na = b['v']", ("host", "float64", (2,), "C")),
        ("b = {'u': np.zeros(3)}\nb['u'] = p\na = b['u']", None),
        ("b = [np.zeros(3)]\np.take(b)\na = b[0]", None),
        ("a = np.zeros(3)\nif flag:\n    a = np.ones(4)", ("host", "float64", (None,), "C")),
        ("a = np.zeros(3)\nif flag:\n    a = cuda.to_device(a)", (None, "float64", (3,), "C")),
        ("a = np.zeros((2, 2))\nfor _ in p:\n    a = a.T", ("host", "float64", (2, 2), "unknown")),
        ("a, b = np.zeros(2), np.ones(2)\nwhile p:\n    a, b = b, a", ("host", "float64", (2,), "C")),
        ("a = np.zeros(2)\nwhile p:\n    a = a.astype(np.float32)", ("host", None, (2,), "C")),
        ("for a in np.zeros((5, 3), np.uint8):\n    pass", ("host", "uint8", (3,), "C")),
        ("for i, (a, b) in enumerate(zip(np.zeros((5, 3)), p)):\n    pass", ("host", "float64", (3,), "C")),
        ("if (a := np.zeros(3)).size:\n    pass", ("host", "float64", (3,), "C")),
        ("a = np.where(np.zeros(9) == 1)[0] + 1", ("host", "int64", (None,), "C")),
        ("a = np.where(p > 1)[0]", ("host", "int64", (None,), "C")),
        ("a, b = np.nonzero(np.zeros((2, 2)))", ("host", "int64", (None,), "C")),
        ("a = cp.nonzero(cp.zeros(4))[0]", ("device", "int64", (None,), "C")),
        ("a = np.where(p, 1, 2)", None),
        ("a = [np.zeros(3) for _ in p][0]", None),
        ("b = [1, 2]\nb.append(3)\na = np.array(b)", ("host", None, None, None)),
    ],
)
def test_place_type_shape_and_order(body: str, known: Known | None) -> None:
    value = value_of(body)
    if known is None:
        assert value == UNKNOWN
        return
    assert isinstance(value, Array)
    assert (value.place, value.dtype, value.shape, value.order) == known


@pytest.mark.parametrize(
    ("before", "body", "shape"),
    [
        ("N = 3\n", "a = np.zeros((N, 2 * N))", (3, 6)),
        ("def made(n, m=2):\n    return np.zeros((n, m))\n", "a = made(4)", (4, 2)),
        ("def made(n, m=2):\n    return np.zeros((n, m))\n", "a = made(m=5, n=1)", (1, 5)),
        ("def shape():\n    return 3, 4\n", "n, m = shape()\na = np.zeros((m, n))", (4, 3)),
        ("def even(x):\n    return odd(x)\ndef odd(x):\n    return even(x)\n", "a = even(np.zeros(3))", None),
        ("def more(x, n):\n    return more(x, n - 1) if n else x\n", "a = more(np.zeros(3), 9)", None),
        ("b = np.zeros((2, 7))\n", "a = b[0]", (7,)),
        ("", "b = np.zeros((2, 7))\nn, m = b.shape\na = np.ones((m, n))", (7, 2)),
        ("", "a = np.ones((p, 6))[0:4, :-1]", (None, 5)),
    ],
)
def test_sizes_through_constants_and_functions(
    before: str, body: str, shape: tuple[int | None, ...] | None
) -> None:
    value = value_of(body, before)
    assert (value.shape if isinstance(value, Array) else None) == shape


def test_a_launch_of_numbers_and_of_elements() -> None:
    assert value_of("a = np.zeros(3, np.float32)[0]") == Number("float32", python=False)
    assert value_of("a = p.shape[0]") == Number("int64")
    assert value_of("a = len(p) // 2") == Number("int64")


@pytest.mark.parametrize(
    ("body", "dtype", "low", "high"),
    [
        ("a = 2 * 3.5", "float64", 7.0, 7.0),
        ("a = min(len(p), 4)", "int64", None, 4),
        ("a = max(len(p), 4)", "int64", 4, None),
        # 1,000 elements in blocks of 256: three full ones and one more.
        ("a = (np.zeros(1000).size + 255) // 256", "int64", 4, 4),
        ("a = -(-len(np.zeros((1000, 3))) // 256)", "int64", 4, 4),
        ("a = math.ceil(np.zeros((10, 100)).size / 256)", "int64", 4, 4),
        ("a = int(np.ceil(1000 / 256))", "int64", 4, 4),
        ("a = np.zeros((10, 100), np.float32).nbytes", "int64", 4000, 4000),
        ("n = 3 if flag else 5\na = 2 * n - 1", "int64", 5, 9),
        ("n = 3 if flag else 5\na = 7 - n", "int64", 2, 4),
        ("n = 3 if flag else 5\na = 100 // n", "int64", 20, 33),
        ("a = len(p) % 32", "int64", 0, 31),
        ("n = 0\nwhile p:\n    n += 1\na = n", "int64", 0, None),
        ("n = 64\nwhile p:\n    n = max(n // 2, 1)\na = n", "int64", 1, 64),
        ("a = 1 // 0", "int64", None, None),
        ("a = 10 ** 40", "int64", None, None),
        ("a = np.uint8(200) * np.uint8(2)", "uint8", None, None),
    ],
)
def test_between_which_numbers_a_number_lies(
    body: str, dtype: str, low: float | None, high: float | None
) -> None:
    value = value_of(body)
    assert isinstance(value, Number)
    assert (value.dtype, value.low, value.high) == (dtype, low, high)


@pytest.mark.parametrize(
    "body",
    [
        "a = np.zeros(1)\n" + "a = a + 1\n" * 3_000,
        "".join(f"a{i} = np.zeros(1) if p else a{i - 1}\n" for i in range(1, 2_000)) + "a = a1999",
        "a = b = np.zeros(1)\nwhile p:\n" + "    a, b = b.T, a * b\n" * 300,
        "a = " + "(" * 90 + "p" + ")" * 90 + ".T" * 350,
        "a = " + " + ".join(["p"] * 350),
    ],
)
def test_long_programs_have_an_answer_in_bounded_time(body: str) -> None:
    begin = time.process_time()
    value_of(body)
    assert time.process_time() - begin < 20


@pytest.mark.parametrize(
    ("body", "element"),
    [
        ("n = z.shape[0]", False),
        ("for i in range(z.shape[0]):\n    pass", False),
        ("if flag and n < z.shape[0]:\n    pass", True),
        ("if n < z.shape[0] and flag:\n    pass", False),
        # A branch, a loop or an error may keep the program from asking; the name may have another value.
        ("if flag:\n    n = z.shape[0]", True),
        ("n = z.shape[0] if flag else 0", True),
        ("for i in range(n):\n    n = z.shape[0]", True),
        ("try:\n    n = z.shape[0]\nexcept AttributeError:\n    pass", True),
        ("sizes = [one * z.shape[0] for one in n]", True),
        ("sizes = lambda: z.shape[0]", True),
        ("while flag:\n    n = z.shape[0]\n    if n:\n        z = np.zeros(4)[n]\n    seen(1, z)", True),
    ],
)
def test_a_value_that_was_asked_for_a_size_is_no_single_element(body: str, element: bool) -> None:
    found = value_of("z, n = np.zeros(4)[p], p\n" + body, expression="z")
    assert isinstance(found, Array)
    assert found.element is element


def test_asked_within_the_branch_that_asks() -> None:
    lines = (
        "z = np.zeros(4)[p]",
        "if flag:",
        "    n = z.shape[0]",
        "    seen(1, z)",
        "else:",
        "    seen(2, z)",
    )
    text = "import numpy as np\ndef run(p, flag):\n" + "".join(f"    {line}\n" for line in lines)
    elements = [value.element for _, value in told(text) if isinstance(value, Array)]
    assert elements == [False, True]


# OpenCV is not installed with the tests: what its reference says of these calls.
IMAGES = {
    "cv2.imread('a.png')": ("uint8", 3),
    "cv2.imread('a.png', cv2.IMREAD_GRAYSCALE)": ("uint8", 2),
    "cv2.imread('a.png', flags=0)": ("uint8", 2),
    "cv2.imdecode(data, cv2.IMREAD_COLOR)": ("uint8", 3),
    "cv2.GaussianBlur(cv2.imread('a.png'), (5, 5), 0)": ("uint8", 3),
    "cv2.resize(np.zeros((4, 4), np.float32), (2, 2))": ("float32", 2),
    "cv2.cvtColor(cv2.imread('a.png'), cv2.COLOR_BGR2GRAY)": ("uint8", 2),
    "cv2.cvtColor(cv2.imread('a.png', 0), cv2.COLOR_GRAY2RGB)": ("uint8", 3),
    "cv2.cvtColor(cv2.imread('a.png', 0), cv2.COLOR_BAYER_BG2BGR)": ("uint8", None),
}


@pytest.mark.parametrize(("call", "expected"), IMAGES.items())
def test_images_of_opencv(call, expected):
    ((_, value),) = told(f"import cv2\nimport numpy as np\n\ndef run(data):\n    seen(0, {call})\n")
    assert isinstance(value, Array)
    assert (value.dtype, value.dims, value.order) == (*expected, "C")


@pytest.mark.parametrize(
    "call",
    [
        "cv2.imread('a.png', cv2.IMREAD_UNCHANGED)", "cv2.imread('a.png', flags)", "cv2.imdecode(data)",
        "cv2.blur(data, (3, 3))", "cv2.Canny(data, 1, 2)",
    ],
)  # fmt: skip
def test_images_of_any_type(call):
    ((_, value),) = told(f"import cv2\n\ndef run(data, flags):\n    seen(0, {call})\n")
    assert not isinstance(value, Array) or value.dtype is None


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("np.array(Image.open('a.png').convert('L'))", ("uint8", 2)),
        ("np.asarray(Image.open('a.png').convert('RGB').resize((4, 4)))", ("uint8", 3)),
        ("np.array(Image.open('a.png').resize((4, 4)).convert(mode='F'))", ("float32", 2)),
        ("np.array(Image.open('a.png').convert('RGB'), dtype=np.float64)", ("float64", 3)),
        ("np.array(Image.open('a.png').convert('1'))", ("boolean", 2)),
        # The mode is that of the file, or of a setting.
        ("np.array(Image.open('a.png'))", (None, None)),
        ("np.array(Image.open('a.png').convert(mode))", (None, None)),
        ("np.array(other.convert('L'))", (None, None)),
    ],
)
def test_images_of_pillow(made: str, expected: tuple[str | None, int | None]) -> None:
    head = "from PIL import Image\nimport numpy as np\n\ndef run(mode, other):\n"
    ((_, value),) = told(head + f"    seen(0, {made})\n")
    assert isinstance(value, Array)
    assert (value.dtype, value.dims) == expected
