"""The element types of arrays whose sizes are powers, or that are read from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.evidence.source.analysis import analyse
from advisor.program.effects.device_functions import Resolver
from advisor.program.launches.launches import find_launches
from advisor.program.names.workspace import Workspace

HEAD = """
import sys
import cupy as cp
import numpy as np
from numba import cuda
@cuda.jit
def k(a):
    a[0] = 1
"""


@pytest.mark.parametrize(
    ("made", "element"),
    [
        ("np.arange(2**20)", "int64[::1]"),
        ("cp.empty_like(cp.arange(1 << 3 if len(sys.argv) < 2 else 10**2))", "int64[::1]"),
        ("np.arange(2**-1)", None),
        ("np.arange(2**int(input()))", None),
        ("np.arange(2.0**20)", "float64[::1]"),
        ("cp.fromfile('data', dtype=cp.uint8)", "uint8[::1]"),
        ("np.fromfile('data')", "float64[::1]"),
        ("np.frombuffer(data, np.int16)", "int16[::1]"),
        ("np.loadtxt('data')", "float64[?]"),
        ("np.loadtxt('data', dtype=np.float32)", "float32[?]"),
        # What the file holds decides here where it is asked to.
        ("np.genfromtxt('data', dtype=None)", None),
        ("np.load('data')", None),
    ],
)
def test_the_type_of_what_is_launched_with(tmp_path: Path, made: str, element: str | None) -> None:
    (tmp_path / "program.py").write_text(f"{HEAD}\nk[4, 64]({made})\n")
    workspace = Workspace(tmp_path)
    module = workspace.module(tmp_path.resolve() / "program.py")
    assert module is not None
    (launch,) = find_launches(module, Resolver(workspace))
    assert launch.argument_types == (element,)


PARAMETER = """
@cuda.jit
def scaled(a, s):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j] *= s
def run({parameters}):
    {statement}
    scaled[(64, 64), (16, 16)](d, s)
{call}
"""


@pytest.mark.parametrize(
    ("parameters", "statement", "types", "assumed"),
    [
        ("b, s: float", "d = cuda.to_device(np.ascontiguousarray(b, dtype=np.float32))",
         ("float32[:,::1]", "float64"), ()),
        ("b, s: int = 2", "d = np.array(b, np.float64, order='C')", ("float64[:,::1]", "int64"), ()),
        ("b, v: float", "d, s = np.zeros((9, 9), np.int8), np.float32(v)", ("int8[:,::1]", "float32"), ()),
        # A conversion says the type of whatever it is given, a number or an array as the kernel uses it.
        ("b, v", "d, s = np.zeros((9, 9), np.int8), np.float32(v)", ("int8[:,::1]", "float32"), ()),
        ("b, v", "d, s = np.float32(b), np.int32(v)", ("float32[:,::1]", "int32"), ("a",)),
        # A call in sight that does not say what it gives leaves what the parameter is said to be.
        ("b, v: float", "d, s = np.zeros((9, 9)), np.float32(v)\nrun(0, eval('1'))",
         ("float64[:,::1]", "float32"), ()),
        ("b, s: float", "d = np.zeros((9, 9))\nrun(0, 1)", ("float64[:,::1]", "int64"), ()),
        ("b, s: float", "d = b.astype(np.float32)", ("float32[:,::1]", "float64"), ("a",)),
        ("b, s: float | None", "d = np.zeros((9, 9))", ("float64[:,::1]", "float64"), ("s",)),
        ("b, s=2.0", "d = np.zeros((9, 9))", ("float64[:,::1]", "float64"), ("s",)),
    ],
)  # fmt: skip
def test_what_the_host_code_states_is_no_assumption(
    tmp_path: Path, parameters: str, statement: str, types: tuple[str, ...], assumed: tuple[str, ...]
) -> None:
    file = tmp_path / "program.py"
    inside, _, call = statement.partition("\n")
    file.write_text(HEAD + PARAMETER.format(parameters=parameters, statement=inside, call=call))
    found = analyse([file], tmp_path, with_units=True).units
    first = next(one for one in found if "scaled" in one.kernel).candidates[0]
    assert (first.types, first.assumed) == (types, assumed)
    assert bool(first.assumptions) == bool(assumed)
