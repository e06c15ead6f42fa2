"""Random kernels give on the SIMT machine what they give on Numba's simulator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba import float64, int64
from numba_launch import compiled
from numba_simulator import NumbaSimulator, module_of

from advisor.evidence.simulated.simt.machine import Settings

VARIABLES = ["a", "b", "c"]
# Results are kept small: Python's integers do not wrap, a GPU's do.
KEEP = "& 0xFFFF"
HEADER = """
from numba import cuda, int64, float64

@cuda.jit
def kernel(x, y, out, real, count):
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tile = cuda.shared.array({block}, int64)
    a = x[i]
    b = y[i]
    c = i * 3 + t
    f = real[i]
"""
FOOTER = """
    out[i] = a + 65536 * b + 4294967296 * (c & 0xFFFF)
    real[i] = f
"""


@st.composite
def expressions(draw, depth=2):
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*VARIABLES, "t", "i", str(draw(st.integers(-9, 99)))]))
    left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    operator = draw(st.sampled_from(["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "min", "max"]))
    if operator in ("//", "%"):
        return f"(({left}) {operator} ((({right}) & 15) + 1))"
    if operator in ("<<", ">>"):
        return f"((({left}) & 0xFFFF) {operator} (({right}) & 7))"
    if operator in ("min", "max"):
        return f"{operator}({left}, {right})"
    if operator == "*":
        return f"((({left}) & 0xFFFF) * ({right}))"
    return f"(({left}) {operator} ({right}))"


@st.composite
def conditions(draw):
    comparison = draw(st.sampled_from(["<", "<=", "==", "!=", ">", ">="]))
    one = f"({draw(expressions(1))}) % 7 {comparison} ({draw(expressions(1))}) % 5"
    if draw(st.booleans()):
        return one
    joint = draw(st.sampled_from(["and", "or"]))
    return f"{one} {joint} not (({draw(expressions(1))}) & 1 == 0)"


@st.composite
def blocks(draw, depth, in_loop=False, outermost=False):
    """Lines of statements without indentation."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["set", "set", "real"]
        if depth:
            kinds += ["if", "if", "for", "while"]
        if in_loop:
            kinds += ["break", "continue"]
        if outermost:
            kinds += ["exchange", "count", "count"]
        lines += draw(statements(draw(st.sampled_from(kinds)), depth, in_loop))
    return lines


@st.composite
def statements(draw, kind, depth, in_loop):
    indent = lambda lines: [f"    {line}" for line in lines]  # noqa: E731
    if kind == "set":
        return [f"{draw(st.sampled_from(VARIABLES))} = ({draw(expressions())}) {KEEP}"]
    if kind == "real":
        return [f"f = f {draw(st.sampled_from('+-'))} {draw(st.sampled_from(VARIABLES))} * 0.5"]
    if kind == "if":
        lines = [f"if {draw(conditions())}:", *indent(draw(blocks(depth - 1, in_loop)))]
        if draw(st.booleans()):
            lines += ["else:", *indent(draw(blocks(depth - 1, in_loop)))]
        return lines
    if kind == "for":
        counter = f"k{depth}"
        trips = f"(({draw(expressions(1))}) & 3) + 1"
        return [
            f"for {counter} in range({trips}):",
            *indent([f"a = (a + {counter}) {KEEP}", *draw(blocks(depth - 1, True))]),
        ]
    if kind == "while":
        counter = f"w{depth}"
        return [
            f"{counter} = {draw(st.integers(1, 4))}",
            f"while {counter} > 0 and ({draw(conditions())}):",
            *indent([f"{counter} -= 1", *draw(blocks(depth - 1, True))]),
        ]
    if kind == "exchange":
        return [
            "tile[t] = a",
            "cuda.syncthreads()",
            f"b = (b + tile[(t * {draw(st.integers(1, 5))} + {draw(st.integers(0, 9))}) % tile.size]) {KEEP}",
            "cuda.syncthreads()",
        ]
    if kind == "count":
        return [f"cuda.atomic.add(count, ({draw(expressions(1))}) & 7, (a & 15) + 1)"]
    return [f"if {draw(conditions())}:", f"    {kind}"]


@st.composite
def kernels(draw):
    block = draw(st.sampled_from([6, 6, 6, 34]))
    body = [line for _ in range(draw(st.integers(1, 3))) for line in draw(blocks(2, outermost=True))]
    return block, HEADER.format(block=block) + "".join(f"    {line}\n" for line in body) + FOOTER


@pytest.fixture(scope="module")
def simulator():
    found = NumbaSimulator()
    yield found
    found.close()


def arrays_for(threads):
    random = np.random.default_rng(threads)
    return [
        random.integers(0, 1000, threads),
        random.integers(0, 1000, threads),
        np.zeros(threads, np.int64),
        random.random(threads),
        np.zeros(8, np.int64),
    ]


@pytest.mark.parametrize("shard", range(4))
@settings(
    max_examples=16,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(kernels())
def test_a_random_kernel_gives_what_numbas_simulator_gives(simulator, tmp_path, shard, kernel):
    block, source = kernel
    grid = 1
    expected, found = arrays_for(grid * block), arrays_for(grid * block)
    simulator.launch(source, "kernel", grid, block, expected)
    function = module_of(source, tmp_path)["kernel"].py_func
    ready = compiled(function, int64[::1], int64[::1], int64[::1], float64[::1], int64[::1])
    execution = ready.launch(grid, block, *found, settings=Settings(threads=2, seconds=30))
    assert execution.defect_count == 0
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if number == 3:
            np.testing.assert_allclose(other, one, rtol=1e-12, err_msg=source)
        else:
            np.testing.assert_array_equal(other, one, err_msg=source)
