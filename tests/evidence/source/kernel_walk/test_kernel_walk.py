"""Guards, barriers, atomics, loops and operations of small kernels."""

from __future__ import annotations

import ast
import textwrap

import pytest
from surveying import records, value

from advisor.evidence.source.kernel_walk.kernel_loops import loop_dependences


def kernel(body: str, parameters: str = "a, b, n") -> str:
    return (
        f"@cuda.jit\ndef k({parameters}):\n" + "\n".join("    " + line for line in body.splitlines()) + "\n"
    )


@pytest.mark.parametrize(
    ("body", "guarded"),
    [
        ("i = cuda.grid(1)\na[i] = 1", False),
        ("i = cuda.grid(1)\nif i < n:\n    a[i] = 1", True),
        ("i = cuda.grid(1)\nif i >= n:\n    return\na[i] = 1", True),
        ("i = cuda.grid(1)\nif n > 3:\n    a[i] = 1", False),
        ("i = cuda.grid(1)\nif n > 3:\n    return\na[i] = 1", False),
        (
            "i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x\n"
            "while i < n:\n    a[i] = 1\n    i += 7",
            True,
        ),
        ("i, j = cuda.grid(2)\nif i < n and j < n:\n    a[i, j] = 1", True),
        ("i = cuda.grid(1)\na[i] = 1 if i < n else 0", False),
    ],
)
def test_guards(tmp_path, body, guarded):
    (found,) = [record for record in records(tmp_path, "access", kernel(body)) if record.label == "a"]
    assert value(found, "guarded") is guarded


@pytest.mark.parametrize(
    ("body", "divergent", "after_exit"),
    [
        ("cuda.syncthreads()", False, False),
        ("if cuda.threadIdx.x < n:\n    cuda.syncthreads()", True, False),
        ("if cuda.blockIdx.x < n:\n    cuda.syncthreads()", False, False),
        ("i = cuda.grid(1)\nif i >= n:\n    return\ncuda.syncthreads()", False, True),
        ("s = cuda.blockDim.x // 2\nwhile s > 0:\n    cuda.syncthreads()\n    s //= 2", False, False),
        ("for i in range(cuda.threadIdx.x, n, 32):\n    cuda.syncthreads()", True, False),
        ("for i in range(n):\n    cuda.syncthreads()", False, False),
        ("if a[cuda.threadIdx.x] > 0:\n    cuda.syncthreads()", True, False),
        ("if a[0] > 0:\n    cuda.syncthreads()", False, False),
    ],
)
def test_barriers(tmp_path, body, divergent, after_exit):
    (found,) = records(tmp_path, "barrier", kernel(body))
    assert value(found, "divergent") is divergent
    assert value(found, "after_divergent_exit") is after_exit


@pytest.mark.parametrize(
    ("body", "counters"),
    [
        ("i += 1\nj += n", {"i", "j"}),
        ("i += 1\nif a[i]:\n    continue\nj += 1", {"i"}),
        ("for k in b:\n    if a[k]:\n        continue\nj += 1", {"j"}),
        ("for k in b:\n    pass\nelse:\n    continue\nj += 1", set()),
        ("i += 1\ni += 2", set()),
        ("if a[0]:\n    i += 1", set()),
    ],
)
def test_a_counter_takes_its_step_in_each_iteration(body, counters):
    loop = ast.parse("for step in a:\n" + textwrap.indent(body, "    ")).body[0]
    assert isinstance(loop, ast.For) and set(loop_dependences(loop).steps) == counters


@pytest.mark.parametrize(
    ("body", "kind", "invariant"),
    [
        ("i = cuda.grid(1)\nfor j in range(n):\n    a[i] += b[j]", "update", True),
        ("i = cuda.grid(1)\nfor j in range(n):\n    a[i] = a[i] + b[j]", "update", True),
        ("i = cuda.grid(1)\nfor j in range(n):\n    a[j] += 1", "update", False),
        ("i = cuda.grid(1)\nfor j in range(n):\n    a[i] = b[j]", "store", True),
        ("i = cuda.grid(1)\nj = 0\nwhile j < n:\n    a[i + j] += 1\n    j += 1", "update", False),
    ],
)
def test_updates_in_loops(tmp_path, body, kind, invariant):
    found = [
        r for r in records(tmp_path, "access", kernel(body)) if r.label == "a" and value(r, "kind") != "load"
    ]
    assert (value(found[0], "kind"), value(found[0], "loop_invariant")) == (kind, invariant)


@pytest.mark.parametrize(
    ("body", "elements"),
    [
        ("for s in range(n):\n    for k in range(5):\n        a[i] += b[i, k]", 5),
        ("for s in range(n):\n for j in range(3):\n  for k in range(5):\n   a[i] += b[j, k]", 15),
        ("s = 0\nwhile s < n:\n    for k in range(4):\n        a[i] += b[i, k + 4]\n    s += 1", 4),
        # The innermost loop meets one element only, an outer one others: no row is walked again.
        ("for k in range(5):\n    for s in range(n):\n        a[i] += b[i, k]", 0),
        ("for s in range(n):\n    for k in range(5):\n        a[i] += b[s, k]", 0),
        ("for k in range(5):\n    a[i] += b[i, k]", 0),
        ("a[i] += b[i, 0]", 0),
        ("for s in range(5):\n    for k in range(n):\n        a[i] += b[i, k]", None),
    ],
)
def test_rows_that_are_walked_again(tmp_path, body, elements):
    found = [
        one
        for one in records(tmp_path, "access", kernel(f"i = cuda.grid(1)\n{body}"))
        if one.label == "b" and value(one, "kind") == "load"
    ]
    assert value(found[0], "reloaded_elements") == elements


@pytest.mark.parametrize(
    ("body", "target", "lanes"),
    [
        ("cuda.atomic.add(a, 0, 1)", "one", 32),
        ("i = cuda.grid(1)\ncuda.atomic.add(a, i, 1)", "own", 1),
        ("i = cuda.grid(1)\ncuda.atomic.add(a, b[i], 1)", "data", None),
    ],
)
def test_atomics(tmp_path, body, target, lanes):
    (found,) = records(tmp_path, "atomic", kernel(body))
    assert (value(found, "target"), value(found, "lanes_per_address")) == (target, lanes)


def test_an_atomic_in_a_loop_condition_spins(tmp_path):
    (found,) = records(tmp_path, "atomic", kernel("while cuda.atomic.add(a, 0, 0) < n:\n    pass"))
    assert value(found, "spins") is True


@pytest.mark.parametrize(
    ("expression", "exponent"),
    [("x ** 2", "integer literal"), ("x ** 0.5", "half"), ("x ** 2.0", "float literal"),
     ("math.pow(x, 3)", "converted integer"), ("x ** n", "runtime"), ("x ** P", "integer literal"),
     ("pow(x, 2)", "integer literal"), ("pow(x, 2.0)", "float literal"), ("pow(x, n)", "runtime"),
     ("pow(x, 0.5)", "half")],
)  # fmt: skip
def test_powers(tmp_path, expression, exponent):
    text = "P = 3\n" + kernel(f"i = cuda.grid(1)\nx = b[i]\na[i] = {expression}")
    found = [r for r in records(tmp_path, "operation", text) if value(r, "operator") == "power"]
    assert value(found[0], "exponent") == exponent


@pytest.mark.parametrize("expression", ["pow(x, 2, 5)", "pow(*b)", "pow(x, exp=2)"])
def test_a_power_of_other_arguments_is_no_operator(tmp_path, expression):
    text = kernel(f"i = cuda.grid(1)\nx = b[i]\na[i] = {expression}")
    assert [r for r in records(tmp_path, "operation", text) if value(r, "exponent")] == []


@pytest.mark.parametrize(
    ("expression", "divisor", "integers"),
    [("j % n", "runtime", True), ("j % m", "runtime", None), ("j // a.shape[0]", "runtime", True),
     ("j % 32", "power_of_two", True), ("j // 3", "constant", True), ("(j + 1) % len(a)", "runtime", True)],
)  # fmt: skip
def test_divisions(tmp_path, expression, divisor, integers):
    text = kernel(f"for j in range(n):\n    b[{expression}] = 1", "a, b, n, m")
    (found,) = records(tmp_path, "operation", text)
    assert (value(found, "divisor"), value(found, "integer_operands")) == (divisor, integers)
    assert value(found, "loop_depth") == 1


def test_int_of_a_quotient_is_truncated(tmp_path):
    (found,) = records(tmp_path, "operation", kernel("i = cuda.grid(1)\nj = int(i / a.shape[0])\na[j] = 1"))
    assert (value(found, "operator"), value(found, "truncated")) == ("true_divide", True)


def test_a_loop_without_the_thread_is_the_same_in_all(tmp_path):
    serial = "i = cuda.grid(1)\nfor j in range(n):\n    a[j] = b[j]"
    shared = "i = cuda.grid(1)\nfor j in range(n):\n    a[i] += b[j]"
    assert value(records(tmp_path, "loop", kernel(serial))[0], "every_thread_same") is True
    assert value(records(tmp_path, "loop", kernel(shared))[0], "every_thread_same") is False


def test_one_thread_that_loops(tmp_path):
    (found,) = records(
        tmp_path, "branch", kernel("if cuda.threadIdx.x == 0:\n    for j in range(n):\n        a[j] = 0")
    )
    assert value(found, "single_lane") is True
    assert value(found, "serial_loop") is True


def test_local_arrays_with_constant_loops_have_constant_indices(tmp_path):
    unrolled = "t = cuda.local.array(4, np.float32)\nfor j in range(4):\n    t[j] = 0\na[0] = t[1]"
    dynamic = "t = cuda.local.array(4, np.float32)\na[0] = t[n]"
    found = [r for r in records(tmp_path, "array", kernel(unrolled)) if r.label == "t"]
    assert value(found[0], "dynamic_index") is False
    found = [r for r in records(tmp_path, "array", kernel(dynamic)) if r.label == "t"]
    assert value(found[0], "dynamic_index") is True


def test_an_argument_that_bounds_a_range_of_a_device_function_is_an_integer(tmp_path):
    text = (
        "@cuda.jit(device=True)\ndef last(a, count, other):\n    found = 0\n"
        "    for j in range(count):\n        found += a[(j + 1) % count] + a[j % other]\n    return found\n\n"
        "@cuda.jit\ndef k(a, n, m):\n    a[0] = last(a, n, m)\n"
    )
    found = {r.span.column: value(r, "integer_operands") for r in records(tmp_path, "operation", text)}
    assert list(found.values()) == [True, None]
