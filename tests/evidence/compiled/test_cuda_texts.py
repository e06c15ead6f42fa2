"""Kernels in CUDA C++ are compiled by NVRTC, each alone, with the lines of their text."""

from __future__ import annotations

import pytest

from advisor.evidence.compiled import CompiledEvidence, Target, compile_units, records, units
from advisor.evidence.compiled.compilers.worker_pool import own_stock
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit, CudaText, FunctionText
from advisor.model.errors import EvidenceUnavailable

CODE = """\
// Line 10 of its file.
extern "C" __global__ void wide(double* x, int n) {
    x[threadIdx.x] = x[threadIdx.x] * 2.0 / n;
}
template <class T> __global__ void narrow(T* x) { __shared__ T s[32]; s[threadIdx.x] = x[0]; __syncthreads();
    x[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void wrong(float* x) { x[0] = nowhere; }
"""


def unit(name: str, line: int, text: str = CODE.rpartition("__global__")[0]) -> CompilationUnit:
    functions = (FunctionText("text", text, "m.py", 10), FunctionText(name, "", "m.py", line, device=False))
    typing = (ArgumentTypes(()),)
    return CompilationUnit(name, "m.py", functions, candidates=typing, cuda=CudaText(text, name))


@pytest.fixture(scope="module")
def evidence() -> CompiledEvidence:
    asked = [unit("wide", 11), unit("narrow<float>", 14), unit("wrong", 17, CODE)]
    found = compile_units(asked, Target((8, 0)), cache=None, timeout=60, jobs=1, stock=own_stock())
    if found.unavailable is not None:
        pytest.skip(found.unavailable.reason)
    return found


def test_lines_and_resources_are_those_of_one_kernel(evidence):
    wide, narrow = evidence.by_kernel["wide"], evidence.by_kernel["narrow<float>"]
    assert {one.line for one in wide.lines} >= {12} and max(one.line for one in wide.lines) <= 13
    assert wide.instructions["fp64_instructions"] > 0 and wide.resources["shared_bytes"] == 0
    assert narrow.instructions["fp64_instructions"] == 0 and narrow.resources["shared_bytes"] == 128
    barriers = {one.line: one.counts["barrier_instructions"] for one in narrow.lines}
    assert barriers[14] == 1


def test_what_types_were_meant_is_not_known(evidence):
    kernel, *lines = records(unit("wide", 11), evidence.by_kernel["wide"])
    assert kernel.span.line == 11 and kernel.value("stated_float64") is None
    assert all(one.value("promoted_operations") is None for one in lines)


def test_errors_stand_at_their_lines(evidence):
    (problem,) = evidence.problems
    assert (problem.path, problem.line) == ("m.py", 17)
    assert problem.message == 'The kernel `wrong` was not compiled: identifier "nowhere" is undefined.'


def test_without_nvrtc_it_is_said(monkeypatch):
    missing = EvidenceUnavailable("NVRTC is not installed.", "Install it.")
    monkeypatch.setattr(units, "missing_cuda_compiler", lambda: missing)
    found = compile_units([unit("wide", 11)], Target((8, 0)), cache=None, timeout=60, jobs=1)
    assert (found.unavailable, found.problems, found.by_kernel) == (missing, [], {})
