"""Constants that size shared arrays or step loops, and the option max_registers."""

from __future__ import annotations

import ast

import pytest

from advisor.fixes.application import edited
from advisor.fixes.support.edits.source_module import read_module
from advisor.model.findings import Edit
from advisor.runs.tuning.slots.register_slot import register_slot

WORKLOAD = """

def workload():
    kernel[{grid}, 64](x)
"""


def names(project, constants, body, grid="n // 64"):
    kernel = "\n\n@cuda.jit\ndef kernel(x):\n" + "".join(f"    {line}\n" for line in body)
    project.write(constants + kernel + WORKLOAD.format(grid=grid))
    return {slot.name: slot.value for slot in project.target().tiles}


def test_sizes_of_shared_arrays(project):
    body = ["tile = cuda.shared.array((ROWS, COLUMNS + 1), np.float32)", "tile[0, 0] = x[0]"]
    assert names(project, "ROWS = 8\nCOLUMNS = 32\nOTHER = 3\n", body) == {"ROWS": 8, "COLUMNS": 32}


def test_what_a_size_is_computed_from(project):
    body = ["tile = cuda.shared.array(shape=WIDTH, dtype=np.float32)", "tile[0] = x[0]"]
    assert names(project, "TILE = 32\nRADIUS = 1\nWIDTH = TILE + 2 * RADIUS\n", body) == {
        "TILE": 32,
        "RADIUS": 1,
    }


def test_the_step_of_a_loop(project):
    body = ["for start in range(0, x.size, DEPTH):", "    x[start] = LIMIT"]
    assert names(project, "DEPTH = 32\nLIMIT = 7\n", body) == {"DEPTH": 32}


def test_the_bound_of_a_loop_where_the_grid_rests_on_it(project):
    body = ["i = cuda.grid(1) * RUN", "for k in range(i, i + RUN):", "    x[k] = 1"]
    assert names(project, "RUN = 10\n", body, grid="n // (64 * RUN)") == {"RUN": 10}
    assert names(project, "RUN = 10\n", body) == {}


@pytest.mark.parametrize("constants", ["", "TILE = 0\n", "TILE = 8\nTILE = 16\n", "TILE = int('8')\n"])
def test_names_without_one_number_are_none(project, constants):
    body = ["tile = cuda.shared.array(TILE, np.float32)", "tile[0] = x[0]"]
    assert names(project, constants, body) == {}


def test_numbers_in_the_kernel_are_none(project):
    assert names(project, "", ["tile = cuda.shared.array(64, np.float32)", "tile[0] = x[0]"]) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@cuda.jit", "@cuda.jit(max_registers=64)"),
        ("@cuda.jit()", "@cuda.jit(max_registers=64)"),
        ("@cuda.jit('void(f4[:])')", "@cuda.jit('void(f4[:])', max_registers=64)"),
        ("@cuda.jit(fastmath=True)", "@cuda.jit(fastmath=True, max_registers=64)"),
        ("@cuda.jit(max_registers=40, fastmath=True)", "@cuda.jit(max_registers=64, fastmath=True)"),
        ("@jit", "@jit(max_registers=64)"),
    ],
)
def test_a_limit_of_registers(before, after):
    text = f"{before}\ndef kernel(x):\n    pass\n"
    module = read_module(text)
    slot = register_slot(module, "k.py", next(module.nodes(ast.FunctionDef)))
    edits = [Edit(one.start, one.end, one.text) for one in slot.edits(64)]
    assert edited(text, edits) == f"{after}\ndef kernel(x):\n    pass\n"


@pytest.mark.parametrize("decorator", ["@cuda.jit(**options)", "@cuda.jit(max_registers=most)", "@wrapped"])
def test_decorators_that_take_no_limit(decorator):
    module = read_module(f"{decorator}\ndef kernel(x):\n    pass\n")
    assert register_slot(module, "k.py", next(module.nodes(ast.FunctionDef))) is None
