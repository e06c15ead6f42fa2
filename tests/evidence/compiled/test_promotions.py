"""What makes a kernel compute in float64 although its data is float32, as Numba types it.

Each kernel has one reason, or none: the types follow from Numba's rules (an integer of 64 bits with float32
is float64, so are `/` of integers, float literals, and a variable that is both).
"""

from __future__ import annotations

import sys

import pytest
from small_kernels import F32, F64, FIRST, LINE, elementwise, unit

from advisor.evidence.compiled import CompiledEvidence, Target, compile_units
from advisor.evidence.compiled.compilers.worker_pool import own_stock
from advisor.evidence.compiled.evidence import CompiledKernel, Promotion
from advisor.evidence.compiled.float64.placed_promotions import placed_promotions
from advisor.evidence.compiled.records import kernel_and_line_records
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit, FunctionText

INT = "int32[::1]"
_ARRAYS = (F32, F32, "int64")


def kernel(statements: str, types: tuple[str, ...] = _ARRAYS, **fields: object) -> CompilationUnit:
    return elementwise(statements, types, **fields)  # type: ignore[arg-type]


def device(name: str, parameters: str, body: str) -> tuple[FunctionText, ...]:
    return (FunctionText(name, f"def {name}({parameters}):\n    {body}\n", "lib.py", 5),)


def guessed(statements: str, names: tuple[str, ...], types: tuple[str, ...] = _ARRAYS) -> CompilationUnit:
    """A kernel of `a, out, n` of which some types are guesses."""
    typing = ArgumentTypes(types, ("These are guesses.",), names)
    made = elementwise(statements, types, parameters=("a", "out", "n"))
    return CompilationUnit(
        made.kernel, made.path, made.functions, aliases=made.aliases, candidates=(typing,),
        parameters=made.parameters,
    )  # fmt: skip


LOOP = """
total = {start}
for k in range(16):
    total += a[k]
out[i] = total
"""
DECLARED = """
total = 0.0
s = cuda.shared.array(64, float32)
for k in range(16):
    total += a[k]
s[i] = total
cuda.syncthreads()
out[i] = s[n]
"""
COMPARED = """
best = 0.0
s = cuda.shared.array(64, float32)
for k in range(16):
    if a[k] > best:
        best = a[k]
s[i] = best
cuda.syncthreads()
out[i] = s[n]
"""
LOCAL = """
s = cuda.local.array(4, np.float64)
s[0] = x
out[i] = s[0] * 0.1
"""

COUNTED = """
count = np.float32(0)
for k in range(n):
    if a[k] > x:
        count += 1
out[i] = count
"""
ESCAPED = """
z = 0.0j
count = 0
while z.real * z.real + z.imag * z.imag < 4 and count < 99:
    z = z * z + complex(low, i * high)
    count += 1
out[i] = count
"""
BYTES = "uint8[::1]"


def counting(out: str) -> CompilationUnit:
    """A kernel of numbers alone that counts how often something holds."""
    body = ESCAPED.replace("\n", "\n    ")
    return unit(
        f"def kernel(low, high, out, n):\n    i = cuda.grid(1)\n    {body}\n",
        ("float64", "float64", out, "int64"),
        parameters=("low", "high", "out", "n"),
    )


KERNELS: dict[str, CompilationUnit] = {
    # -- promoted ------------------------------------------------------------------------------------
    "literal": kernel("out[i] = x * 0.1 + x"),
    "start": kernel(LOOP.format(start="0.0")),
    "whole start": kernel(LOOP.format(start="0")),
    "integer beside float32": kernel("out[i] = x * n + x"),
    "whole literal": kernel("out[i] = (3 * x + x) / x"),
    "division of integers": kernel("out[i] = x + i / n"),
    "integers alone, for float32": kernel("out[i] = (i * n) / (n + 7)"),
    "function of integers": kernel("out[i] = math.sqrt(i) * x"),
    "conversion of integers": kernel("out[i] = float(i) * x"),
    "maximum with a literal": kernel("out[i] = max(0.0, x) / (x + x)"),
    "pi": kernel("out[i] = (x + math.pi) * x"),
    "in a device function": kernel("out[i] = f(x)", devices=device("f", "v", "return v * 0.1 + v")),
    "handed to a device function": kernel(
        "out[i] = f(x, 0.1)", devices=device("f", "v, w", "return v * w + v")
    ),
    "back from a device function": kernel(
        "p, q = f(x, 0.1)\nout[i] = p * x", devices=device("f", "v, w", "return w, v")
    ),
    "python float": unit(
        "def kernel(a, out, n):\n    i = cuda.grid(1)\n    out[i] = a[i] * n + a[i]\n",
        (F32, F32, "float64"),
        parameters=("a", "out", "n"),
    ),
    "handed to one that returns nothing": kernel(
        "f(out, x, i)", devices=device("f", "v, w, k", "v[k] = w * 0.1 + w")
    ),
    "an argument of one that counts": unit(
        "def kernel(a, out, n):\n    i = cuda.grid(1)\n    out[i] = f(a[i], n)\n",
        (BYTES, BYTES, "float64"),
        parameters=("a", "out", "n"),
        devices=device("f", "v, w", "return 1 if v * w > w + 7 else 0"),
    ),
    "counted in float32": kernel(COUNTED),
    "on the way to float32": kernel("y = np.float32(x * 0.1)\nout[i] = np.float64(x) * y"),
    "two arguments and a literal": unit(
        "def kernel(a, out, n, m):\n    i = cuda.grid(1)\n    out[i] = a[i] * n + m * 0.7\n",
        (F32, F32, "float64", "float64"),
        parameters=("a", "out", "n", "m"),
    ),
    "many causes": kernel("out[i] = (x * 0.1 + x * n) * 0.3 + x * 0.7 + i / n"),
    "bytes": kernel("out[i] = np.uint8(0.3 * x + 0.1)", (BYTES, BYTES, "int64")),
    "bytes by int": kernel("out[i] = int(0.3 * x + 0.1)", (BYTES, BYTES, "int64")),
    "counted by comparisons, as bytes": counting(BYTES),
    "counted by comparisons": counting("int32[::1]"),
    "an index of float32 data": kernel("place = int(x * 0.1 + 0.7)\nout[place] = x"),
    "an index that is kept": kernel("place = int(x * 0.1 + 0.7)\nout[place] = place"),
    "only compared": guessed(COMPARED, ("a", "out", "n")),
    # -- float64 on purpose, or not at all -----------------------------------------------------------
    "float32 constants": kernel("out[i] = x * np.float32(0.1) + np.float32(0.7)"),
    "float32 throughout": kernel("out[i] = math.sqrt(x) * x ** 2"),
    "float64 array": kernel("out[i] = x * 0.1 + x", (F64, F32, "int64")),
    "float64 result": kernel("out[i] = x * 0.1 + x", (F32, F64, "int64")),
    "asked for": kernel(LOOP.format(start="np.float64(0)")),
    "beside what is asked for": kernel("out[i] = np.float64(x) * math.sqrt(n * 0.1)"),
    "local array of float64": kernel(LOCAL),
    "an index": kernel("out[int(i / n)] = x"),
    "float64 from a device function": kernel(
        "out[i] = f(x)", devices=device("f", "v", "return np.float64(v) * v + v")
    ),
    # -- types that are guesses ----------------------------------------------------------------------
    "all assumed": guessed("out[i] = x * 0.1 + x", ("a", "out", "n")),
    "result known": guessed("out[i] = x * 0.1 + x", ("a", "n")),
    "data known": guessed("out[i] = x * 0.1 + x", ("out", "n")),
    "assumed, but declared float32": guessed(DECLARED, ("a", "out", "n")),
    "assumed Python float": guessed("out[i] = x * n + x", ("n",), (F32, F32, "float64")),
    "assumed beside float64": guessed("out[i] = x * 0.1 + x", ("a",), (F32, F32, F64)),
}
KERNELS = {
    name: CompilationUnit(
        f"app.py::{name}", one.path, one.functions, aliases=one.aliases, candidates=one.candidates,
        parameters=one.parameters,
    )
    for name, one in KERNELS.items()
}  # fmt: skip


@pytest.fixture(scope="module")
def evidence() -> CompiledEvidence:
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
    return compile_units(
        list(KERNELS.values()), Target((9, 0)), cache=None, timeout=240, jobs=1, stock=own_stock()
    )


def compiled(evidence: CompiledEvidence, name: str) -> CompiledKernel:
    assert not evidence.problems
    return evidence.by_kernel[KERNELS[name].kernel]


def promoted(evidence: CompiledEvidence, name: str) -> list[Promotion]:
    """The promotions of a kernel at lines whose machine code has float64 instructions."""
    code = compiled(evidence, name)
    wide = {(line.path, line.line) for line in code.lines if line.counts.get("fp64_instructions")}
    return [one for one in code.promotions if (one.path, one.line) in wide]


@pytest.mark.parametrize(
    ("name", "line", "cause"),
    [
        ("literal", FIRST, f"`0.1` in line {FIRST}"),
        ("start", FIRST + 2, f"`0.0` in line {FIRST}"),
        ("whole start", FIRST + 2, f"the whole number `0` in line {FIRST}"),
        ("integer beside float32", FIRST, f"the integer beside float32 in line {FIRST}"),
        ("whole literal", FIRST, f"the integer `3` in line {FIRST}"),
        ("function of integers", FIRST, f"the function of integers in line {FIRST}"),
        ("conversion of integers", FIRST, f"the function of integers in line {FIRST}"),
        ("division of integers", FIRST, f"the division of integers in line {FIRST}"),
        ("integers alone, for float32", FIRST, f"the division of integers in line {FIRST}"),
        ("maximum with a literal", FIRST, f"`0.0` in line {FIRST}"),
        ("pi", FIRST, f"`pi` in line {FIRST}"),
        ("python float", LINE + 2, "the float64 argument `n`"),
        ("on the way to float32", FIRST, f"`0.1` in line {FIRST}"),
    ],
)
def test_the_line_that_computes_and_the_cause(
    evidence: CompiledEvidence, name: str, line: int, cause: str
) -> None:
    (one,) = promoted(evidence, name)
    assert (one.path, one.line, one.cause) == ("app.py", line, cause)
    assert (one.known, one.from_guess) == (True, False)


@pytest.mark.parametrize(
    ("name", "place", "cause"),
    [
        ("in a device function", ("lib.py", 6), "`0.1` in line 6"),
        ("handed to a device function", ("lib.py", 6), f"`0.1` in line {FIRST} of app.py"),
        ("back from a device function", ("app.py", FIRST + 1), f"`0.1` in line {FIRST}"),
    ],
)
def test_through_device_functions(
    evidence: CompiledEvidence, name: str, place: tuple[str, int], cause: str
) -> None:
    (one,) = promoted(evidence, name)
    assert ((one.path, one.line), one.cause) == (place, cause)


@pytest.mark.parametrize(
    "name",
    [
        "float32 constants", "float32 throughout", "float64 array", "float64 result", "asked for",
        "beside what is asked for", "local array of float64", "an index", "float64 from a device function",
    ],
)  # fmt: skip
def test_what_is_float64_on_purpose_or_not_at_all_is_no_promotion(
    evidence: CompiledEvidence, name: str
) -> None:
    assert promoted(evidence, name) == []


def test_float64_on_purpose_is_in_the_machine_code(evidence: CompiledEvidence) -> None:
    for name in ("float64 array", "float64 result", "asked for", "float64 from a device function"):
        assert compiled(evidence, name).instructions["fp64_instructions"] > 0, name


@pytest.mark.parametrize(
    ("name", "known", "from_guess", "certain"),
    [
        ("literal", True, False, True),
        ("all assumed", False, False, False),
        ("data known", True, False, True),
        # What is stored as float32, or as a flag, may be computed from float64 data on purpose.
        ("result known", True, False, False),
        ("assumed, but declared float32", True, False, False),
        ("assumed Python float", True, True, False),
        # The array of unknown type may be float64 as the other one is.
        ("assumed beside float64", True, False, False),
    ],
)
def test_what_is_certain(
    evidence: CompiledEvidence, name: str, known: bool, from_guess: bool, certain: bool
) -> None:
    (one,) = promoted(evidence, name)
    assert (one.known, one.from_guess) == (known, from_guess)
    records = kernel_and_line_records(KERNELS[name], compiled(evidence, name))
    (line,) = [record for record in records if record.entity == "line" and record.span.line == one.line]
    assert line.readings["promotion_certain"].value is certain
    assert line.readings["promoted_operations"].value == one.operations


def test_all_causes_are_named(evidence: CompiledEvidence) -> None:
    """The float64 arguments come first: without them a literal alone changes nothing."""
    (one,) = promoted(evidence, "two arguments and a literal")
    assert one.cause == f"the float64 arguments `n` and `m` and `0.7` in line {LINE + 2}"
    (one,) = promoted(evidence, "many causes")
    literals, others = "`0.1`, `0.3` and `0.7`", "the integer beside float32"
    assert one.cause == (
        f"{literals} in line {FIRST}, {others} in line {FIRST} and the division of integers in line {FIRST}"
    )


def test_what_functions_are_given_that_return_no_float(evidence: CompiledEvidence) -> None:
    (one,) = promoted(evidence, "handed to one that returns nothing")
    assert (one.path, one.line, one.cause, one.known) == ("lib.py", 6, "`0.1` in line 6", True)
    (one,) = promoted(evidence, "an argument of one that counts")
    assert (one.path, one.line, one.cause) == ("lib.py", 6, "the float64 argument `n`")


def test_an_integer_that_a_loop_adds_to_float32(evidence: CompiledEvidence) -> None:
    (one,) = promoted(evidence, "counted in float32")
    assert (one.line, one.cause, one.known) == (FIRST + 3, f"the integer `1` in line {FIRST + 3}", True)


@pytest.mark.parametrize("name", ["bytes", "bytes by int", "counted by comparisons, as bytes"])
def test_whole_numbers_of_few_bits_are_narrow_data(evidence: CompiledEvidence, name: str) -> None:
    found = promoted(evidence, name)
    assert found
    assert {one.data for one in found} == {"for whole numbers of at most 16 bits"}
    assert {(one.known, one.rounded) for one in found} == {(True, False)}


def test_what_counts_in_wide_integers_may_need_float64(evidence: CompiledEvidence) -> None:
    assert promoted(evidence, "counted by comparisons") == []


@pytest.mark.parametrize(
    ("name", "rounded"),
    [("an index of float32 data", True), ("an index that is kept", True), ("literal", False)],
)
def test_what_only_whole_numbers_come_of(evidence: CompiledEvidence, name: str, rounded: bool) -> None:
    (one,) = promoted(evidence, name)
    assert one.rounded is rounded


def test_what_is_only_compared_is_for_what_it_is_kept_for(evidence: CompiledEvidence) -> None:
    # `best` ends in an array of float32, whatever the arrays that the kernel is given are.
    (one,) = compiled(evidence, "only compared").promotions
    assert (one.line, one.cause, one.known) == (FIRST + 3, f"`0.0` in line {FIRST}", True)


@pytest.mark.parametrize(("name", "promoted"), [("literal", True), ("float64 from a device function", False)])
def test_float64_that_the_remedy_leaves(evidence: CompiledEvidence, name: str, promoted: bool) -> None:
    code = compiled(evidence, name)
    own, *_ = kernel_and_line_records(KERNELS[name], code)
    left = own.readings["unpromoted_fp64_instructions"].value
    assert left == (0.0 if promoted else code.instructions["fp64_instructions"])


def test_a_line_without_promotion_has_none(evidence: CompiledEvidence) -> None:
    records = kernel_and_line_records(KERNELS["float64 array"], compiled(evidence, "float64 array"))
    lines = [record for record in records if record.entity == "line"]
    assert lines
    assert {record.readings["promoted_operations"].value for record in lines} == {0}
    assert not any("promotion_cause" in record.readings for record in lines)


def test_a_cause_in_a_notebook_is_named_by_its_function() -> None:
    function = FunctionText("scale", "def scale(x):\n    return x * 0.1\n", "lib.ipynb", 70, device=True)
    unit = CompilationUnit("k", "lib.ipynb", (function,))
    found = {
        "function": 0, "line": 2, "operations": 1, "narrow": [0], "read": [0], "rounded": False,
        "causes": [["literal", 0, 2, "0.1"]],
    }  # fmt: skip
    (one,) = placed_promotions(unit, ArgumentTypes(("float32",)), [found])
    assert (one.line, one.cause) == (71, "`0.1` in `scale`")
