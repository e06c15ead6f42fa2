"""Typings of kernel parameters: stated by signatures, handed in, or assumed from how the code uses them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from units import unit_of

from advisor.evidence.compiled.compile_requests import other_typing
from advisor.evidence.source.analysis import analyse
from advisor.model.compilation_unit import ArgumentTypes


def signed(folder: Path, decorator: str, parameters: str = "a, n") -> list[tuple[str, ...]]:
    program = f"""
from numba import cuda, float32, int64, void, types
import numba as nb
import numpy as np
REAL = types.float64
SIGNATURE = void(REAL[:, :], int64)
@cuda.jit({decorator})
def kernel({parameters}):
    a[0, 0] = n
"""
    return [candidate.types for candidate in unit_of(folder, program=program).candidates]


@pytest.mark.parametrize(
    ("decorator", "types"),
    [
        ('"void(float32[:,:], int64)"', [("float32[:,:]", "int64")]),
        ('"(f4[:,::1], i8)"', [("f4[:,::1]", "i8")]),
        ("(float32[:, ::1], nb.int32)", [("float32[:,::1]", "int32")]),
        ("[float32[:, :], types.int64]", []),
        ("void(float32[:, :], int64)", [("float32[:,:]", "int64")]),
        ("nb.void(nb.float32[:, :], nb.types.int64), fastmath=True", [("float32[:,:]", "int64")]),
        (
            "[void(float32[:, :], int64), void(REAL[:, :], int64)]",
            [("float32[:,:]", "int64"), ("float64[:,:]", "int64")],
        ),
        ('["void(f4[:,:], i8)", "void(f8[:,:], i8)"]', [("f4[:,:]", "i8"), ("f8[:,:]", "i8")]),
        ("SIGNATURE", [("float64[:,:]", "int64")]),
        ("signature=SIGNATURE", [("float64[:,:]", "int64")]),
        ("(types.Array(float32, 2, 'C'), int64)", [("Array(float32, 2, 'C')", "int64")]),
        ("(float32[:, :], types.UniTuple(int64, 2))", [("float32[:,:]", "UniTuple(int64, 2)")]),
    ],
)
def test_stated_types(tmp_path: Path, decorator: str, types: list[tuple[str, ...]]) -> None:
    found = signed(tmp_path, decorator)
    if types:
        assert found == types
    else:
        assert found[0] == ("float32[:,::1]", "float64")


def test_stated_types_rest_on_no_assumption(tmp_path: Path) -> None:
    program = "from numba import cuda\n@cuda.jit('void(f8[:])')\ndef kernel(a):\n    a[0] = 1\n"
    assert unit_of(tmp_path, program=program).candidates == (ArgumentTypes(("f8[:]",)),)


def test_a_signature_of_another_length_is_not_used(tmp_path: Path) -> None:
    program = "from numba import cuda\n@cuda.jit('void(f8[:], i8)')\ndef kernel(a):\n    a[0] = 1\n"
    assert unit_of(tmp_path, program=program).candidates[0].types == ("float32[::1]",)


def test_types_from_calls_come_before_assumed_ones(tmp_path: Path) -> None:
    program = "from numba import cuda\n@cuda.jit\ndef kernel(a, n):\n    a[0, 0] = n\n"
    both = {"a": "float64[:,::1]", "n": "int64"}
    first, second, *_ = unit_of(tmp_path, call_types=both, program=program).candidates
    assert (first.types, first.assumptions, first.assumed) == (("float64[:,::1]", "int64"), (), ())
    assert second.types == ("float32[:,::1]", "float64")
    first, *others = unit_of(tmp_path, call_types={"a": "float64[:,::1]"}, program=program).candidates
    assert (first.types, first.assumed) == (("float64[:,::1]", "float64"), ("n",))
    assert first.assumptions == ("Parameter n is taken to be float64.",)
    # Should the launch's types not fit the code, the plain assumptions are still there.
    assert ("float32[:,::1]", "float64") in [candidate.types for candidate in others]


def first(folder: Path, parameters: str, *body: str, before: str = "") -> tuple[str, ...]:
    lines = "\n    ".join(body)
    program = (
        f"from numba import cuda\nimport math\n{before}\n@cuda.jit\ndef kernel({parameters}):\n    {lines}\n"
    )
    return unit_of(folder, program=program).candidates[0].types


F1, F2, F3, I1 = "float32[::1]", "float32[:,::1]", "float32[:,:,::1]", "int32[::1]"


@pytest.mark.parametrize(
    ("parameters", "body", "types"),
    [
        ("a", ["a[0] = 1"], (F1,)),
        ("a", ["a[0, 1] = 1"], (F2,)),
        ("a", ["a[0][1] = 1"], (F2,)),
        ("a", ["row = a[0]", "row[1] = 2"], (F2,)),
        ("a", ["a[0, 1:3] = 1"], (F2,)),
        ("a", ["window = a[0:3, 1:4]", "window[0, 0] = 1"], (F2,)),
        ("a", ["plane = a[1:3, 0]", "plane[0, 2] = 1"], (F3,)),
        ("a", ["a[..., 0] = 1"], (F1,)),
        ("a", ["x, y, z = a.shape", "i = x + y"], (F3,)),
        ("a", ["n = a.shape[1]"], (F2,)),
        ("a", ["n = a.shape[-2]"], (F2,)),
        ("a", ["shape = a.shape", "n = shape[2]"], (F3,)),
        ("a", ["n = len(a)"], (F1,)),
        ("a", ["n = a.size"], (F1,)),
        ("a", ["t = 0.0", "for x in a:", "    t += x"], (F1,)),
        ("a", ["for row in a:", "    row[0] = 1"], (F2,)),
        ("a", ["t = (0, 1)", "a[t] = 1"], (F2,)),
        ("a", ["p = cuda.grid(2)", "a[p] = 1"], (F2,)),
        ("a, v", ["cuda.atomic.add(a, (0, 1), v)"], (F2, "float64")),
        ("a, k", ["a[k[0]] = 1"], (F1, I1)),
        ("a, k", ["j = k[0] + 1", "a[j] = 1"], (F1, I1)),
        ("a, k", ["a[int(k[0])] = 1"], (F1, F1)),
        ("a, k", ["for i in range(k[0], k[1]):", "    a[i] = 1"], (F1, I1)),
        ("a, k", ["a[0] = k[0] & 3"], (F1, I1)),
        ("a, n", ["i = cuda.grid(1)", "if i < n:", "    a[i] = 1"], (F1, "int64")),
        ("a, k", ["i = cuda.grid(1)", "if i < k[0]:", "    a[i] = 1"], (F1, I1)),
        ("a, k", ["if k[0] < 3:", "    a[0] = 1"], (F1, F1)),
        ("a, k", ["a[0] = k[0] % 2"], (F1, I1)),
        ("a, k", ["zero = types.uint32(0)", "if k[0] >= zero:", "    a[0] = 1"], (F1, F1)),
        ("a, n", ["i = cuda.threadIdx.x", "if 0 <= i < n - 1:", "    a[i] = 1"], (F1, "int64")),
        ("a, n", ["for i in range(n):", "    a[i] = 1"], (F1, "int64")),
        ("a, s", ["a[0] = s * a[1]"], (F1, "float64")),
        ("a, n", ["a[cuda.grid(1) % n] = 1"], (F1, "int64")),
        ("a, z", ["a[0] = a[1] * 1j + z"], ("complex64[::1]", "float64")),
        ("a, z", ["z[0] = a[0].real"], ("complex64[::1]", F1)),
        ("a, p", ["x, y = p", "a[x, y] = 1"], (F2, "UniTuple(int64, 2)")),
        ("a, p", ["a[p] = p[0] + p[1]"], (F2, "UniTuple(int64, 2)")),
    ],
)
def test_use_gives_dimensions_and_kinds(
    tmp_path: Path, parameters: str, body: list[str], types: tuple[str, ...]
) -> None:
    assert first(tmp_path, parameters, *body) == types


def test_use_in_device_functions_counts(tmp_path: Path) -> None:
    device = """
@cuda.jit(device=True)
def pick(row, k):
    return row[k]
@cuda.jit(device=True)
def place(x):
    return x + 1
"""
    body = ["a[place(m[0])] = pick(b[3], k)", "c[0] = pick(c, 2)"]
    types = first(tmp_path, "a, b, c, k, m", *body, before=device)
    assert types == (F1, F2, F1, "int64", I1)


def test_random_states_are_recognised(tmp_path: Path) -> None:
    body = ["i = cuda.grid(1)", "a[i] = xoroshiro128p_uniform_float32(states, i)"]
    before = "from numba.cuda.random import xoroshiro128p_uniform_float32"
    assert first(tmp_path, "states, a", *body, before=before) == ("xoroshiro128p_type[::1]", F1)


def test_sentences_say_what_is_assumed(tmp_path: Path) -> None:
    program = """
    from numba import cuda
    @cuda.jit
    def kernel(x, y, n, s):
        if cuda.grid(1) < n:
            x[0] = s * y[0]
    """
    candidate = unit_of(tmp_path, program=program).candidates[0]
    assert candidate.assumptions == (
        "Array parameters x, y are taken to be float32, C-contiguous.",
        "Parameter n is taken to be int64.",
        "Parameter s is taken to be float64.",
    )
    assert candidate.assumed == ("x", "y", "n", "s")


def test_elements_may_be_known_where_dimensions_are_not(tmp_path: Path) -> None:
    program = "from numba import cuda\n@cuda.jit\ndef kernel(x, y, z):\n    y[0, 1] = x[1, 0] * z[0]\n"
    unit = unit_of(tmp_path, program, {"x": "float32[?]", "y": "float32[?]"})
    candidate = unit.candidates[0]
    assert candidate.types == (F2, F2, F1)
    assert candidate.assumptions == (
        "Array parameter z is taken to be float32, C-contiguous.",
        "Array parameters x, y are taken to be C-contiguous, with as many dimensions as indices.",
    )
    assert candidate.known_elements == ("x", "y")
    assert candidate.assumed_elements == ("z",)
    # Numbers that are known have no other type in the second typing.
    assert other_typing(unit, candidate) == [F2, F2, "float64[::1]"]


def test_an_array_of_any_order_lies_column_by_column_in_the_other_typing(tmp_path: Path) -> None:
    program = "from numba import cuda\n@cuda.jit\ndef kernel(x, y, z):\n    y[0, 1] = x[1, 0] * z[0]\n"
    unit = unit_of(tmp_path, program, {"x": "float32[?]"})
    unit = replace(unit, of_any_order=("x", "z"))
    assert other_typing(unit, unit.candidates[0]) == ["float32[::1,:]", "float64[:,::1]", "float64[::1]"]
    known = ArgumentTypes((F2, F2, F1))
    assert other_typing(unit, known) is None


@pytest.mark.parametrize(
    ("given", "found"),
    [("x", ()), ("x.T", ("a",)), ("np.asfortranarray(x)", ("a",)), ("np.ascontiguousarray(x.T)", ()),
     ("cuda.to_device(np.array(x.T, dtype=x.dtype))", ("a",))],
)  # fmt: skip
def test_launches_show_which_arrays_lie_in_another_order(
    tmp_path: Path, given: str, found: tuple[str, ...]
) -> None:
    program = (
        "import numpy as np\nfrom numba import cuda\n@cuda.jit\ndef kernel(a):\n    a[0, 1] = 2.0\n"
        f"def main(x):\n    y = {given}\n    kernel[1, 32](y)\n"
    )
    (tmp_path / "program.py").write_text(program)
    (unit,) = analyse([tmp_path / "program.py"], tmp_path, with_units=True).units
    assert unit.of_any_order == found


def test_an_array_counted_with_integers_may_be_either(tmp_path: Path) -> None:
    program = "from numba import cuda\n@cuda.jit\ndef kernel(h, x):\n    cuda.atomic.add(h, int(x[0]), 1)\n"
    types = [c.types for c in unit_of(tmp_path, program=program).candidates]
    assert types == [(F1, F1), (I1, F1), (I1, I1)]


def test_variable_parameters_have_no_assumed_types(tmp_path: Path) -> None:
    program = "from numba import cuda\n@cuda.jit\ndef kernel(a, *rest):\n    a[0] = rest[0]\n"
    assert unit_of(tmp_path, program=program).untyped == ("kernel (its parameters are not all positional)",)


B1 = "boolean[::1]"


@pytest.mark.parametrize(
    ("parameters", "body", "types"),
    [
        ("a, m", ["if m[0]:", "    a[0] = a[1] * 2"], (F1, B1)),
        ("a, m", ["if not m[0] and a[0] > 2:", "    a[0] = a[1] * 2"], (F1, B1)),
        ("a, m", ["flag = m[0]", "if flag:", "    a[0] = a[1] * 2"], (F1, B1)),
        ("a, m", ["m[0] = a[0] > 0.5"], (F1, B1)),
        ("a, m", ["m[0] = False", "a[0] = a[1] * 2"], (F1, B1)),
        ("a, m", ["found = False", "if a[0] > 2.5:", "    found = True", "m[0] = found"], (F1, B1)),
        ("a, m, o", ["o[0] = m[0]", "if m[0] or not o[0]:", "    a[0] = a[1] * 2"], (F1, B1, B1)),
        # What is counted, computed with or an index is no truth value, and numbers may be others.
        ("a, m", ["if m[0]:", "    a[0] += m[0]"], (F1, F1)),
        ("a, m", ["if m[0]:", "    a[m[0]] = a[1] * 2"], (F1, I1)),
        ("a, m", ["if m[0] > 2:", "    a[0] = a[1] * 2"], (F1, F1)),
        ("a, m", ["if m[0]:", "    m[0] = a[0] * 2"], (F1, F1)),
        ("a, m", ["if m[0]:", "    a[0] = math.sqrt(m[0])"], (F1, F1)),
        ("a, m", ["if m[0]:", "    m[0] += 1", "a[0] = a[1] * 2"], (F1, F1)),
        ("a, m", ["if m[0] == 1:", "    m[0] = 0", "a[0] = a[1] * 2"], (F1, F1)),
    ],
)
def test_arrays_that_hold_truth_values(
    tmp_path: Path, parameters: str, body: list[str], types: tuple[str, ...]
) -> None:
    assert first(tmp_path, parameters, *body) == types


def test_truth_values_that_a_device_function_tests(tmp_path: Path) -> None:
    device = "@cuda.jit(device=True)\ndef pick(m, x):\n    return x * 2 if m else x * 3\n"
    assert first(tmp_path, "a, m", "a[0] = pick(m[0], a[1])", before=device) == (F1, B1)


def test_zeros_alone_are_no_results_of_tests(tmp_path: Path) -> None:
    body = ["best = 0", "for k in range(3):", "    best = a[k]", "m[0] = best", "a[0] = a[1] * 2"]
    program = "\n    ".join(["from numba import cuda\n@cuda.jit\ndef kernel(a, m):", *body])
    assert unit_of(tmp_path, program=program).candidates[0].maybe_bytes == ()


@pytest.mark.parametrize(("value", "bytes"), [("1", ("m",)), ("255", ("m",)), ("2", ()), ("1.0", ())])
def test_numbers_that_may_be_bytes(tmp_path: Path, value: str, bytes: tuple[str, ...]) -> None:
    program = (
        f"from numba import cuda\n@cuda.jit\ndef kernel(a, m):\n"
        f"    if m[0] == {value}:\n        a[0] = a[1] * 2\n"
    )
    unit = unit_of(tmp_path, program=program)
    assert unit.candidates[0].maybe_bytes == bytes
    other = other_typing(unit, unit.candidates[0])
    assert other == ["float64[::1]", "uint8[::1]" if bytes else "float64[::1]"]


@pytest.mark.parametrize(("factor", "element"), [("1j", "complex64"), ("1.5", "float32")])
def test_a_name_that_many_statements_bind_to_itself(tmp_path: Path, factor: str, element: str) -> None:
    # Each statement may be any of the values of the name: 40 ** 40 ways, if each were followed.
    steps = "\n".join("    x = x * c" for _ in range(40))
    program = (
        f"from numba import cuda\n@cuda.jit\ndef kernel(a, b):\n    c = {factor}\n    x = b[0]\n"
        f"{steps}\n    a[0] = x\n"
    )
    (first, *_) = unit_of(tmp_path, program=program).candidates
    assert first.types[0] == f"{element}[::1]"
