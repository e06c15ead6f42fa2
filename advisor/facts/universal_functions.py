"""Calls of universal functions made by `vectorize` and `guvectorize` for CUDA, with what they are given."""

from __future__ import annotations

import ast

from advisor.facts.host_records import is_test_path
from advisor.facts.host_scope import HostScope, host_loops, timing_loop
from advisor.facts.module import FunctionNode, ModuleSyntax
from advisor.facts.workspace import Workspace
from advisor.records import Record

_MAKERS = frozenset(
    {"numba.vectorize", "numba.guvectorize", "numba.cuda.vectorize", "numba.cuda.guvectorize"}
)


def universal_call_records(module: ModuleSyntax, workspace: Workspace) -> list[Record]:
    """One record for each call of a universal function of this module that runs on the GPU."""
    names = {function.name for function in module.functions if _runs_on_gpu(function, module, workspace)}
    if not names:
        return []
    calls = [call for call in module.calls if isinstance(call.func, ast.Name) and call.func.id in names]
    return [_record(call, module, workspace) for call in calls]


def _runs_on_gpu(function: FunctionNode, module: ModuleSyntax, workspace: Workspace) -> bool:
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        dotted = module.dotted(decorator.func)
        if dotted is None or workspace.library_name(dotted, module) not in _MAKERS:
            continue
        target = next((one.value for one in decorator.keywords if one.arg == "target"), None)
        if isinstance(target, ast.Constant) and target.value == "cuda":
            return True
    return False


def _record(call: ast.Call, module: ModuleSyntax, workspace: Workspace) -> Record:
    function = next((scope for scope in module.scopes(call) if isinstance(scope, ast.FunctionDef)), None)
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    arrays = HostScope(module, function, workspace).host_arrays(call.args)
    loops = host_loops(module, call)
    record = Record(
        "universal_call", f"{module.path}:{call.lineno}:{call.col_offset}:universal_call", module.path,
        module.span(call.func), name,
    )  # fmt: skip
    record.know(
        "source",
        host_arrays=None if arrays is None else float(len(arrays)),
        host_array_names=", ".join(arrays) if arrays else None,
        host_loop_depth=float(len(loops)),
        in_test_or_benchmark=is_test_path(module.path) or any(timing_loop(loop) for loop in loops),
    )
    return record
