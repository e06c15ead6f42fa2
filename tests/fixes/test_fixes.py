"""Each fix: what it makes of a finding's line, and what it leaves alone."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import fixing
import pytest

from advisor.check.pipeline import check_with_tables
from advisor.fixes import known_fixes, with_fixes
from advisor.fixes.application import applied, chosen
from advisor.model.findings import HERE_TOO, Edit, Finding, Fix, Related
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span

HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n\n\n"


def fixed(fix: str, text: str, marked: str) -> str | None:
    """The text with a fix applied at a marked stretch, None where the fix has nothing to say."""
    begin = text.index(marked)
    line = text.count("\n", 0, begin) + 1
    column = begin - (text.rfind("\n", 0, begin) + 1) + 1
    height, last = marked.count("\n"), len(marked) - (marked.rfind("\n") + 1)
    end_column = column + len(marked) if not height else last + 1
    rule = next(one.rules[0] for one in known_fixes() if one.id == fix)
    finding = Finding(
        rule, "k.py", Span(line, column, line + height, end_column), "k", "warning", "high", "m", "w", ()
    )
    (found,) = with_fixes([finding], {"k.py": text})
    able = [one for one in found.fixes if one.id == fix]
    return applied(text, able) if able else None


DEBUG = [
    ("@cuda.jit(debug=True, opt=False)", "@cuda.jit"),
    ("@cuda.jit(debug=True)", "@cuda.jit"),
    (
        '@cuda.jit("void(f4[:])", debug=True, opt=False, fastmath=True)',
        '@cuda.jit("void(f4[:])", fastmath=True)',
    ),
    ("@cuda.jit(lineinfo=True, opt=False)", "@cuda.jit(lineinfo=True)"),
    ("@cuda.jit(\n    debug=True,  # slow\n    max_registers=64,\n)", "@cuda.jit(\n    max_registers=64,\n)"),
    ("@cuda.jit(debug=False)", None),
    ("@cuda.jit(debug=DEBUG)", None),
    ("@cuda.jit(**OPTIONS)", None),
    ("@cuda.jit", None),
]


@pytest.mark.parametrize(("before", "after"), DEBUG)
def test_debug_options(before: str, after: str | None) -> None:
    body = "\ndef k(a):\n    a[0] = 1\n"
    assert fixed("drop-debug-options", HEAD + before + body, "k(a)") == (
        HEAD + after + body if after else None
    )


POWERS = [
    ("y = x ** 2.0", "x ** 2.0", "y = x * x"),
    ("y = x ** 3", "x ** 3", "y = x * x * x"),
    ("y = 1.0 / x ** 2.0", "x ** 2.0", "y = 1.0 / (x * x)"),
    ("y = -x ** 2.0", "x ** 2.0", "y = -(x * x)"),
    ("y = a[i, 3] ** 2.  # squared", "a[i, 3] ** 2.", "y = a[i, 3] * a[i, 3]  # squared"),
    ("y = math.pow(x, 2.0)", "math.pow(x, 2.0)", "y = x * x"),
    ("f(x ** 2.0, 1)", "x ** 2.0", "f(x * x, 1)"),
    ("y = (x ** 2.0)", "(x ** 2.0)", "y = (x * x)"),
    ("y = x ** 0.5", "x ** 0.5", "y = math.sqrt(x)"),
    ("y = (u + v) ** 0.5", "(u + v) ** 0.5", "y = math.sqrt(u + v)"),
    ("y = 2.0 * pow(u - v, 0.5)", "pow(u - v, 0.5)", "y = 2.0 * math.sqrt(u - v)"),
    ("y = f(x) ** 2.0", "f(x) ** 2.0", None),
    ("y = (u + v) ** 2.0", "(u + v) ** 2.0", None),
    ("y = a[next(i)] ** 2.0", "a[next(i)] ** 2.0", None),
    ("y = x ** n", "x ** n", None),
    ("y = x ** 2.5", "x ** 2.5", None),
    ("y = x ** 7", "x ** 7", None),
    ("y = x * 2.0", "x * 2.0", None),
]


@pytest.mark.parametrize(("line", "marked", "after"), POWERS)
def test_powers(line: str, marked: str, after: str | None) -> None:
    text = f"{HEAD}def k(x):\n    {line}\n"
    assert fixed("power-to-product", text, marked) == (f"{HEAD}def k(x):\n    {after}\n" if after else None)


def test_the_square_root_brings_its_import_under_the_name_the_file_has() -> None:
    text = "from __future__ import annotations\n\nfrom numba import cuda\n\n\ndef k(x):\n    y = x ** 0.5\n"
    assert fixed("power-to-product", text, "x ** 0.5") == (
        "from __future__ import annotations\n\nimport math\nfrom numba import cuda\n\n\n"
        "def k(x):\n    y = math.sqrt(x)\n"
    )
    named = "import math as m\n\ndef k(x):\n    y = x ** 0.5\n"
    assert fixed("power-to-product", named, "x ** 0.5") == named.replace("x ** 0.5", "m.sqrt(x)")


CONSTANTS = [
    ("y = 0.5 * x + 1.", "y = np.float32(0.5) * x + np.float32(1.)"),
    ("y = x if x > 1e-3 else 0.0", "y = x if x > np.float32(1e-3) else np.float32(0.0)"),
    ("total = 0.0  # the sum", "total = np.float32(0.0)  # the sum"),
    ("y = max(x, 0.5)", "y = max(x, np.float32(0.5))"),
    ("y = np.float32(0.5) * x", None),
    ("y = float32(2.0)", None),
    ("y = x ** 2.0", None),
    ("y = x * 2", None),
    ("tile = cuda.shared.array(2)", None),
    # NumPy's rules make float64 of float32 and an integer, so that nothing would be won.
    ("y = 0.5 * (x + 1)", None),
    ("y = -0.5 * x.shape[0]", None),
    ("y = x / 1000 - 0.5", None),
    ("y = 0.5 * float(x) if cuda.grid(1) > 0.5 else len(x) * 2.0", None),
    ("y = 0.5 * x * (x + 1) + 2.5", "y = np.float32(0.5) * x * (x + 1) + 2.5"),
    ("y = 1.0 > x > 0.5", "y = np.float32(1.0) > x > np.float32(0.5)"),
]


@pytest.mark.parametrize(("line", "after"), CONSTANTS)
def test_constants(line: str, after: str | None) -> None:
    text = f"{HEAD}def k(x):\n    before = 3.0\n    {line}\n    behind = 4.0\n"
    expected = text.replace(line, after) if after else None
    assert fixed("float32-constants", text, line) == expected


ACCUMULATORS = [
    ("total += x * y", "total = np.float32(0.0)"),
    ("total = total + x", "total = np.float32(0.0)"),
    ("total = max(total, x)", "total = np.float32(0.0)"),
    ("other = total * x", None),
    ("total = x", None),
    ("x[0] += total", None),
    ("total += 1", None),
    ("total += x * (i - y)", None),
]


@pytest.mark.parametrize(("line", "after"), ACCUMULATORS)
def test_the_constant_that_a_sum_starts_with(line: str, after: str | None) -> None:
    text = f"{HEAD}def k(x, y):\n    total = 0.0  # the sum\n    for i in range(3):\n        {line}\n"
    expected = text.replace("total = 0.0", after) if after else None
    assert fixed("float32-constants", text, line) == expected


SUMS = f"""{HEAD}def k(x, out):
    total = 0.0
    squares = 0.0
    for i in range(x.size):
        total += x[i]
        squares += x[i] * x[i]
    if total > 0.0:
        out[0] = DIFFERENCE
"""


@pytest.mark.parametrize(
    ("difference", "changes"),
    [
        ("squares - total * total", False),
        ("(squares / out[1] - total) * 0.5", False),
        ("squares - out[1]", True),
        ("squares + total", True),
    ],
)
def test_sums_that_are_subtracted_from_each_other_stay(difference: str, changes: bool) -> None:
    before = SUMS.replace("DIFFERENCE", difference)
    lines = before[before.index("    total") : -1]
    after = before.replace("0.0", "np.float32(0.0)") if changes else None
    assert fixed("float32-constants", before, lines) == after


LAUNCHED = f"""{HEAD}@cuda.jit
def k(x, scale, out):
    i = cuda.grid(1)
    middle = math.floor(x[i])
    out[i] = -2.5 * scale * x[i]
    out[i] += (x[i] - middle) * 0.5
    out[i] += x[i] * 0.25


def run(scale):
    x = np.zeros(64, dtype=np.float32)
    k[1, 64](x, SCALE, np.zeros(64, dtype=np.float32))
"""


@pytest.mark.parametrize(("scale", "first"), [("float(scale)", "2.5"), ("scale", "np.float32(2.5)")])
def test_constants_that_meet_float64_arguments_stay(tmp_path: Path, scale: str, first: str) -> None:
    before = LAUNCHED.replace("SCALE", scale)
    after = before.replace("2.5", first).replace("0.25", "np.float32(0.25)")
    assert fixing.fixed(tmp_path, "float32-constants", before, "compiled") == after


RECORDED = f"""{HEAD}@cuda.jit
def k(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.sqrt(x[i]) * 0.1


def data():
    return np.linspace(0.0, 1.0, 64).astype(TYPE)


def workload():
    k[2, 32](data(), data())
"""


@pytest.mark.parametrize(("kind", "constant"), [("np.float64", "0.1"), ("np.float32", "np.float32(0.1)")])
def test_constants_stay_where_a_run_showed_float64(tmp_path: Path, kind: str, constant: str) -> None:
    before = RECORDED.replace("TYPE", kind)
    after = before.replace("* 0.1", f"* {constant}")
    assert fixing.fixed(tmp_path, "float32-constants", before, "simulated") == after
    found = fixing.report_on(tmp_path, before, "simulated").findings
    assert ("float64-promotion" in {one.rule for one in found}) == (kind == "np.float32")


TWO_KERNELS = f"""{HEAD}@cuda.jit(device=True)
def smooth(x):
    return x * 0.1


@cuda.jit
def coarse(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = smooth(x[i])


@cuda.jit
def fine(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = smooth(x[i])


def run(n):
    x = np.zeros(n, np.float32)
    coarse[8, 64](x, np.zeros(n, np.float32))
    y = np.zeros(n, TYPE)
    fine[8, 64](y, np.zeros(n, TYPE))
"""
SAME_KERNEL = (
    TWO_KERNELS.replace("x * 0.1", "x")
    .replace("smooth(x[i])", "x[i] * 0.1")
    .replace("    fine[", "    coarse[")
)


@pytest.mark.parametrize("text", [TWO_KERNELS, SAME_KERNEL], ids=["device function", "kernel"])
@pytest.mark.parametrize(("kind", "offered"), [("np.float64", False), ("np.float32", True)])
def test_constants_stay_where_another_launch_passes_float64(
    tmp_path: Path, text: str, kind: str, offered: bool
) -> None:
    text = text.replace("TYPE", kind)
    file = tmp_path / "k.py"
    file.write_text(text)
    number = text.count("\n", 0, text.index("* 0.1")) + 1
    finding = Finding(
        "float64-promotion", "k.py", Span(number, 5, number, 20), "k", "warning", "high", "m", "w", ()
    )
    options = CheckOptions(
        "a100-80gb", tmp_path, "source", settings=Config(root=tmp_path), workspace_files=()
    )
    tables = check_with_tables([file], options).tables
    (found,) = with_fixes([finding], {"k.py": text}, tables)
    assert bool(found.fixes) is offered


def test_constants_of_the_further_places_of_a_finding_change_with_it() -> None:
    text = (
        "import numpy as np\ndef k(x, out):\n    y = 0.5 * x\n    out[0] = y * 0.25\n    out[1] = y * 0.75\n"
    )
    first, other = Span(3, 5, 3, 16), Related("k.py", Span(4, 5, 4, 22), HERE_TOO, same_cause=True)
    finding = Finding(
        "float64-promotion", "k.py", first, "k", "warning", "high", "m", "w", (), related=(other,)
    )
    (found,) = with_fixes([finding], {"k.py": text})
    assert [edit.text for edit in found.fixes[0].edits] == ["np.float32(0.5)", "np.float32(0.25)"]


def test_constants_stay_where_numpy_is_not_imported() -> None:
    assert fixed("float32-constants", "def k(x):\n    y = 0.5 * x\n", "y = 0.5 * x") is None


def test_every_fix_has_data_and_a_module() -> None:
    for fix in known_fixes():
        assert fix.title and fix.condition and fix.rules
        assert fix.safety in ("safe", "needs review", "display only")
        assert ast.parse(HEAD)
        assert fixed(fix.id, HEAD + "def k(x):\n    pass\n", "pass") is None


def test_a_file_that_cannot_be_parsed_has_no_fixes() -> None:
    finding = Finding("slow-power", "k.py", Span(1, 1, 1, 2), "k", "warning", "high", "m", "w", ())
    assert with_fixes([finding], {"k.py": "def (:\n"})[0].fixes == ()


def test_a_file_gets_fixes_of_one_kind_at_a_time() -> None:
    text = f"{HEAD}def k(x):\n    y = 0.5 * x ** 2.0\n    z = x ** 3.0\n"
    number = text.count("\n", 0, text.index("y = ")) + 1
    places = [
        ("float64-promotion", Span(number, 5, number, 23)),
        ("slow-power", Span(number, 15, number, 23)),
        ("slow-power", Span(number + 1, 9, number + 1, 17)),
    ]
    findings = [Finding(rule, "k.py", span, "k", "warning", "high", "m", "w", ()) for rule, span in places]
    with_edits = with_fixes(findings, {"k.py": text})
    pairs = chosen(with_edits, ("needs review",))
    assert [fix.id for _, fix in pairs] == ["float32-constants"]
    # Without the constants both powers are of one kind; in another file the other kind has its turn at once.
    pairs = chosen(with_edits[1:], ("needs review",))
    assert [fix.id for _, fix in pairs] == ["power-to-product", "power-to-product"]
    elsewhere = [with_edits[0], *(replace(one, path="other.py") for one in with_edits[1:])]
    assert len(chosen(elsewhere, ("needs review",))) == 3
    assert chosen(with_edits, ("safe",)) == []


def test_edits_that_touch_each_other_never_come_together() -> None:
    text = f"{HEAD}def k(x):\n    y = 0.5 * x ** 2.0\n"
    number = text.count("\n", 0, text.index("y = ")) + 1
    places = [
        ("slow-power", Span(number, 15, number, 23)),
        ("float64-promotion", Span(number, 5, number, 23)),
    ]
    findings = [Finding(rule, "k.py", span, "k", "warning", "high", "m", "w", ()) for rule, span in places]
    pairs = chosen(with_fixes(findings, {"k.py": text}), ("needs review",), mixed=True)
    assert "np.float32(0.5) * (x * x)" in applied(text, [fix for _, fix in pairs])
    whole = Fix("t", "safe", "whole", "", (Edit(0, len(text), "pass\n"),))
    part = Fix("t", "safe", "part", "", (Edit(3, 5, "x"),))
    both = [replace(findings[0], fixes=(whole,)), replace(findings[1], fixes=(part, whole))]
    # In order of the text the part comes first; what would replace it with all the rest waits.
    assert [fix.id for _, fix in chosen(both, ("safe",), mixed=True)] == ["part"]
