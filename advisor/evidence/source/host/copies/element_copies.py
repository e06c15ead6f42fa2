"""Elements of arrays of the device that host code reads or stores one by one, in a loop: a copy for each."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.data_flow.loop_context import loop_context
from advisor.evidence.source.host.host_records import host_record
from advisor.model.records import Record
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import Array
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import cuda_member
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.values.constant_folding import trip_count
from advisor.program.values.constants import Constants

_OF_THREADS = frozenset({"grid", "threadIdx", "blockIdx", "laneid"})


def element_copy_records(module: ModuleSyntax, resolver: Resolver, values: HostValues) -> Iterator[Record]:
    """A record of a copy for each place in a loop of host code that names one element of Numba's array."""
    if not module.mentions("numba"):
        return
    on_device = {one.node for one in resolver.declarations(module)}
    for node in module.inside(module.tree, ast.Subscript):
        scopes = list(module.scopes(node))
        on_gpu = any(one in on_device or module.once(_asks_for_thread, one) for one in scopes)
        if isinstance(node.ctx, ast.Del) or on_gpu:
            continue
        context = loop_context(module, node)
        if not context.loops or not _is_element(node, module, values):
            continue
        yield host_record(
            module, "transfer", node, "element", context,
            call=ast.unparse(node), library="numba", of_element=True, loop_invariant=False,
            direction="to_host" if isinstance(node.ctx, ast.Load) else "to_device",
            every_iteration=context.every_iteration, created_for_copy=False,
            loop_iterations=_iterations(context.loops[0], module, resolver),
        )  # fmt: skip


def _asks_for_thread(module: ModuleSyntax, function: ast.AST) -> bool:
    """Whether a function is a kernel that some call compiles: it asks which of the threads it is."""
    members = (cuda_member(module.dotted(one) or "") or "" for one in module.inside(function, ast.Attribute))
    return any(one.partition(".")[0] in _OF_THREADS for one in members)


def _is_element(node: ast.Subscript, module: ModuleSyntax, values: HostValues) -> bool:
    """Whether brackets pick a single element of an array that is known to be one of Numba's on the device."""
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(one, ast.Slice | ast.Starred) for one in indices):
        return False
    owner = HostScope(module, module.function_around(node), values).value(node.value)
    return (
        isinstance(owner, Array)
        and (owner.library, owner.place) == ("numba", "device")
        and owner.dims == len(indices)
    )


def _iterations(loop: ast.AST, module: ModuleSyntax, resolver: Resolver) -> int | None:
    """How often a loop over a range runs, where the source fixes it."""
    call = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(call, ast.Call) or module.dotted(call.func) != "range":
        return None
    constants = Constants(resolver.workspace, module, module.function_around(loop))
    found = [constants.value(one) for one in call.args]
    return trip_count([one if isinstance(one, int) else None for one in found])
